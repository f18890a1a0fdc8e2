import type { ConfigProblem } from "../document/config-problem.ts";
import { shown } from "../document/path.ts";
import { readDocument } from "../document/read-document.ts";
import { Report } from "../document/report.ts";
import { createDraftNames } from "./draft-names.ts";
import { type FoundEntry, findEntries, findHints, type ImportProgram } from "./find-entries.ts";
import type { ImportDraft } from "./import-draft.ts";
import { keepServersOnly } from "./keep-servers-only.ts";
import { toDraft } from "./to-draft.ts";

export interface ImportOptions {
  /** Named in problems; a name that ends in `.json` or `.jsonc` may hold comments. */
  readonly file: string;
  /** Whose file it is, where that is known; otherwise its keys tell. */
  readonly program?: ImportProgram;
}

export type ImportedServers =
  | { readonly kind: "ok"; readonly drafts: readonly ImportDraft[]; readonly warnings: readonly ConfigProblem[] }
  | { readonly kind: "invalid"; readonly problems: readonly ConfigProblem[] };

/**
 * Reads the servers of another program's file. A server that cannot be understood is left out with a warning;
 * the file is invalid when it cannot be read, or when not one of its servers could be.
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
      report.warn(path, `'${shown(entry.name)}' is left out. ${message}`, at);
  }

  if (report.problems.length > 0) return { kind: "invalid", problems: document.toProblems(report.problems) };
  if (drafts.length === 0 && faults.problems.length > 0)
    return { kind: "invalid", problems: document.toProblems(faults.problems) };
  return { kind: "ok", drafts, warnings: document.toProblems(report.warnings) };
}

/** Projects often repeat a server word for word. */
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
