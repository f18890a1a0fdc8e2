import { isDeepStrictEqual } from "node:util";
import { formatConfigProblem, type ImportDraft, type ImportProgram, importServers } from "@tacklebox/core";
import { readProgramFile } from "./read-program-file.ts";

/** A draft and the file it comes from. */
export interface CollectedDraft extends ImportDraft {
  readonly file: string;
}

export interface Collection {
  readonly drafts: readonly CollectedDraft[];
  /** The files that exist. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
}

/** A file to look into, and the program it belongs to, if that is known. */
export interface ProgramFile {
  readonly file: string;
  readonly program: ImportProgram | undefined;
}

/** Collects the servers of all files that exist. An unreadable file does not keep the others from being read. */
export async function collectDrafts(files: readonly ProgramFile[]): Promise<Collection> {
  const drafts: CollectedDraft[] = [];
  const found: string[] = [];
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const { file, program } of files) {
    const read = await readProgramFile(file);
    if (read.kind === "missing") continue;
    found.push(file);
    if (read.kind === "unreadable") {
      problems.push(read.message);
      continue;
    }
    const imported = importServers(read.text, { file, ...(program === undefined ? {} : { program }) });
    if (imported.kind === "invalid") {
      problems.push(...imported.problems.map(formatConfigProblem));
      continue;
    }
    warnings.push(...imported.warnings.map(formatConfigProblem));
    for (const draft of imported.drafts) addDraft({ ...draft, file }, drafts, warnings);
  }
  return { drafts, files: found, warnings, problems };
}

/** Skips a server that another file lists as well, as programs often do. Different servers of one name get a number. */
function addDraft(draft: CollectedDraft, drafts: CollectedDraft[], warnings: string[]): void {
  if (drafts.some((other) => other.name === draft.name && isSame(other, draft))) return;
  let name = draft.name;
  for (let count = 2; drafts.some((other) => other.name === name); count += 1) name = `${draft.name}-${count}`;
  if (name !== draft.name) warnings.push(`${draft.file}\n'${draft.name}' is imported as '${name}'`);
  drafts.push({ ...draft, name });
}

function isSame(a: ImportDraft, b: ImportDraft): boolean {
  return isDeepStrictEqual([a.entry, a.secrets], [b.entry, b.secrets]);
}
