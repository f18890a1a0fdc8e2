import { type Path, pathText } from "../document/path.ts";
import type { Report } from "../document/report.ts";

/** Warns about each key other than `own`: it belongs to another part of the program the file was written for. */
export function warnOfOtherKeys(map: Readonly<Record<string, unknown>>, path: Path, own: string, report: Report): void {
  for (const key of Object.keys(map)) {
    if (key === own) continue;
    const at = [...path, key];
    report.warn(at, `'${pathText(at)}' is ignored: only '${pathText([...path, own])}' is read from this file`);
  }
}
