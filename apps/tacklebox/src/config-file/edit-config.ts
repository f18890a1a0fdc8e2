import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CommandEnvironment } from "../io.ts";
import { type OpenedFile, openFile, type Refused, type Saved, saveFile } from "./edit-file.ts";
import { findPlace, listWritten, type ServersPlace, type WrittenServer } from "./edit-servers.ts";
import { type Edit, editText, readValue, type Syntax, syntaxOf } from "./edit-text.ts";
import { describeMissingConfig, findConfig } from "./find-config.ts";

/** A config file open to be changed. Changes add up in memory until they are saved. */
export interface ConfigDraft {
  readonly kind: "open";
  readonly file: string;
  readonly place: ServersPlace;
  /** As the file had them when it was opened. */
  readonly servers: readonly WrittenServer[];
  /** False when the file is written in a way that the change cannot be made safely. */
  apply(edit: Edit): boolean;
  save(): Promise<Saved>;
}

/** Opens the config that commands use; `explicit` as they take it. */
export async function openConfig(
  explicit: string | undefined,
  surroundings: CommandEnvironment,
): Promise<ConfigDraft | Refused> {
  const found = findConfig(explicit, surroundings, existsSync);
  if (found.kind === "missing") return { kind: "refused", messages: [describeMissingConfig(found.lookedAt)] };
  if (!existsSync(found.file)) return { kind: "refused", messages: [`${found.file}\nThere is no such config file.`] };
  return draft(found.file, surroundings);
}

/** As openConfig, but where there is no file one is made. */
export async function openOrMakeConfig(
  explicit: string | undefined,
  surroundings: CommandEnvironment,
): Promise<ConfigDraft | Refused> {
  const found = findConfig(explicit, surroundings, existsSync);
  return draft(found.kind === "found" ? found.file : join(surroundings.cwd, "tacklebox.yaml"), surroundings);
}

export function cannotEdit(file: string): string {
  return `${file}\nThe file is written in a way that cannot be changed safely from here. Change it in an editor.`;
}

async function draft(file: string, surroundings: CommandEnvironment): Promise<ConfigDraft | Refused> {
  const opened = await openFile(file);
  if (opened.kind === "refused") return opened;
  const syntax = syntaxOf(file);
  const start = startText(opened, syntax);
  const fault = await whyUnreadable(file, start, surroundings);
  if (fault !== undefined) return fault;
  const root = readValue(start, syntax);
  const place = findPlace(root);
  let text = start;
  return {
    kind: "open",
    file,
    place,
    servers: listWritten(root, place),
    apply(edit) {
      const edited = editText(text, syntax, edit);
      if (edited === undefined) return false;
      text = edited;
      return true;
    },
    save: async () => (text === start ? { kind: "saved" } : saveFile(opened, text, surroundings)),
  };
}

function startText({ text, present }: OpenedFile, syntax: Syntax): string {
  return syntax === "json" && (present === undefined || text.trim() === "") ? "{}\n" : text;
}

/** What keeps the text from being read at all; faults further in are for other commands to tell. */
async function whyUnreadable(file: string, text: string, { env }: CommandEnvironment): Promise<Refused | undefined> {
  if (editText(text, syntaxOf(file), { kind: "add", path: [], added: { "\0probe": true } }) !== undefined)
    return undefined;
  const { formatConfigProblem, parseConfig } = await import("@tacklebox/core");
  const parsed = parseConfig(text, { file, env });
  const problems = parsed.kind === "invalid" ? parsed.problems.map(formatConfigProblem) : [];
  return { kind: "refused", messages: problems.length > 0 ? problems : [cannotEdit(file)] };
}
