import type { ConfigProblem } from "../document/config-problem.ts";
import { printable } from "../document/path.ts";
import { readDocument } from "../document/read-document.ts";
import { Report } from "../document/report.ts";
import { createDraftNames } from "./draft-names.ts";
import { type FoundEntry, findEntries, findHints, type ImportProgram } from "./find-entries.ts";
import type { ImportDraft } from "./import-draft.ts";
import { keepServersOnly } from "./keep-servers-only.ts";
import { toDraft } from "./to-draft.ts";

export interface ImportOptions {
  /** The file's name, for problems; a file whose name ends in `.json` or `.jsonc` may contain comments. */
  readonly file: string;
  /** The program the file belongs to, if known; otherwise it is detected by its keys. */
  readonly program?: ImportProgram;
}

export type ImportedServers =
  | { readonly kind: "ok"; readonly drafts: readonly ImportDraft[]; readonly warnings: readonly ConfigProblem[] }
  | { readonly kind: "invalid"; readonly problems: readonly ConfigProblem[] };

/**
 * Reads the servers of another program's file. A server that cannot be read is left out with a warning;
 * the result is invalid if the file cannot be parsed, or if none of its servers can be read.
 */
export function importServers(text: string, { file, program }: ImportOptions): ImportedServers {
  const reading = readDocument(keepServersOnly(text), file);
  if (reading.kind === "invalid") return reading;
  const { document } = reading;
  const report = new Report();
  const entries = withoutCopies(findEntries(document.value, program, report));
  const context = { hints: findHints(document.value), takenSecrets: new Set<string>() };

  const nameOf = createDraftNames();
  const drafts: ImportDraft[] = [];
  const faults = new Report();
  for (const entry of entries) {
    const own = new Report();
    const drafted = toDraft(entry, nameOf, context, own);
    report.warnings.push(...own.warnings);
    if (drafted.kind === "draft") drafts.push(drafted.draft);
    if (drafted.kind === "skipped") continue;
    faults.problems.push(...own.problems);
    for (const { path, message, at } of own.problems)
      report.warn(path, `'${printable(entry.name)}' is left out. ${message}`, at);
  }

  if (report.problems.length > 0) return { kind: "invalid", problems: document.toProblems(report.problems) };
  if (drafts.length === 0 && faults.problems.length > 0)
    return { kind: "invalid", problems: document.toProblems(faults.problems) };
  return { kind: "ok", drafts, warnings: document.toProblems(report.warnings) };
}

/** Removes exact duplicates: projects often repeat a server. */
function withoutCopies(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    const identity = JSON.stringify([entry.name, entry.value, usesFolder(entry) ? entry.project : undefined]);
    return !seen.has(identity) && seen.add(identity);
  });
}

function usesFolder({ value }: FoundEntry): boolean {
  return JSON.stringify(value)?.includes('"./') === true || JSON.stringify(value)?.includes('"../') === true;
}
