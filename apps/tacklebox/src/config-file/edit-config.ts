import { existsSync } from "node:fs";
import { join } from "node:path";
import { findServersPlace, type ServersPlace } from "@tacklebox/core";
import { ADVICE } from "../advice.ts";
import type { CommandEnvironment } from "../io.ts";
import { type OpenedFile, openFile, type Refused, type Saved, saveFile } from "./edit-file.ts";
import { listWritten, type WrittenServer } from "./edit-servers.ts";
import { type Edit, editText, readValue, type Syntax, syntaxOf } from "./edit-text.ts";
import { describeMissingConfig, findConfig } from "./find-config.ts";

/** A config file opened for editing. Edits stay in memory until they are saved. */
export interface ConfigDraft {
  readonly kind: "open";
  readonly file: string;
  readonly place: ServersPlace;
  /** The servers that were in the file when it was opened. */
  readonly servers: readonly WrittenServer[];
  /** Returns false when the file is written in a way that makes the edit unsafe. */
  apply(edit: Edit): boolean;
  save(): Promise<Saved>;
}

/** Opens the config file that commands use. `explicit` is the value of --config, if given. */
export async function openConfig(
  explicit: string | undefined,
  environment: CommandEnvironment,
): Promise<ConfigDraft | Refused> {
  const found = findConfig(explicit, environment, existsSync);
  if (found.kind === "missing") return { kind: "refused", messages: [describeMissingConfig(found.lookedAt)] };
  if (!existsSync(found.file)) return { kind: "refused", messages: [`${found.file}\nThere is no such config file.`] };
  return draft(found.file, environment);
}

/** Like openConfig, but creates a file where there is none. */
export async function openOrMakeConfig(
  explicit: string | undefined,
  environment: CommandEnvironment,
): Promise<ConfigDraft | Refused> {
  const found = findConfig(explicit, environment, existsSync);
  return draft(found.kind === "found" ? found.file : join(environment.cwd, "tacklebox.yaml"), environment);
}

export function cannotEdit(file: string): string {
  return `${file}\nThe file is written in a way that cannot be changed safely from here. Change it in an editor.`;
}

async function draft(file: string, environment: CommandEnvironment): Promise<ConfigDraft | Refused> {
  const opened = await openFile(file);
  if (opened.kind === "refused") return opened;
  const syntax = syntaxOf(file);
  const start = startText(opened, syntax);
  const fault = await whyUnreadable(file, start, environment);
  if (fault !== undefined) return fault;
  const root = readValue(start, syntax);
  const place = findServersPlace(root);
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
    save: async () => (text === start ? { kind: "saved" } : saveFile(opened, text, environment)),
  };
}

function startText({ text, existing }: OpenedFile, syntax: Syntax): string {
  return syntax === "json" && (existing === undefined || text.trim() === "") ? "{}\n" : text;
}

/** Finds out why the text cannot be parsed at all. Mistakes inside a well-formed file are left to other commands. */
async function whyUnreadable(file: string, text: string, { env }: CommandEnvironment): Promise<Refused | undefined> {
  if (editText(text, syntaxOf(file), { kind: "add", path: [], added: { "\0probe": true } }) !== undefined)
    return undefined;
  const { formatConfigProblem, parseConfig } = await import("@tacklebox/core");
  const parsed = parseConfig(text, { file, env, advice: ADVICE });
  const problems = parsed.kind === "invalid" ? parsed.problems.map(formatConfigProblem) : [];
  return { kind: "refused", messages: problems.length > 0 ? problems : [cannotEdit(file)] };
}
