import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { findServersPlace, type ServersPlace } from "@tacklebox/core";
import { ADVICE } from "../advice.ts";
import type { CommandEnvironment, Io } from "../io.ts";
import { printProblems } from "../output/print.ts";
import { askAtTerminal } from "./agreement/ask-at-terminal.ts";
import { readAgreed } from "./agreement/read-agreed.ts";
import type { Allowed } from "./agreement/record.ts";
import { agreementTo, renewal } from "./agreement/renew.ts";
import { type OpenedFile, openFile, type Refused, type Replacement, type Saved, saveFile } from "./edit-file.ts";
import { listWritten, type WrittenServer } from "./edit-servers.ts";
import { type Edit, editText, readValue, type Syntax, syntaxOf } from "./edit-text.ts";
import { CONFIG_FILE_NAMES, describeMissingConfig, type FoundFile, findConfig } from "./find-config.ts";

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
export async function openConfig(explicit: string | undefined, io: Io): Promise<ConfigDraft | Refused> {
  const found = findConfig(explicit, io);
  if (found.kind === "missing") return { kind: "refused", messages: [describeMissingConfig(found.lookedAt)] };
  if (found.origin === "operator" && !existsSync(found.file))
    return { kind: "refused", messages: [`${found.file}\nThere is no such config file.`] };
  return draft(found, io);
}

/** Like openConfig, but creates a file where there is none. */
export async function openOrMakeConfig(explicit: string | undefined, io: Io): Promise<ConfigDraft | Refused> {
  const found = findConfig(explicit, io);
  const file = join(io.cwd, "tacklebox.yaml");
  return draft(found.kind === "found" ? found : { kind: "found", file, origin: "current-folder" }, io);
}

export function cannotEdit(file: string): string {
  return `${file}\nThe file is written in a way that cannot be changed safely from here. Change it in an editor.`;
}

async function draft(found: FoundFile, io: Io): Promise<ConfigDraft | Refused> {
  const { file } = found;
  let agreed: Allowed | undefined;
  const opened = await openFile(file, async () => {
    const read = await readAgreed(found, io, askAtTerminal(io));
    if (read.kind === "unagreed") return { kind: "refused", messages: read.messages };
    if (read.kind === "ok") agreed = await agreementTo(file, read.bytes, io);
    return read;
  });
  if (opened.kind === "refused") return opened;
  const syntax = syntaxOf(file);
  const start = startText(opened, syntax);
  const fault = await whyUnreadable(file, start, io);
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
    async save() {
      return text === start ? { kind: "saved" } : saveFile(opened, text, io, renewalOf(opened, agreed, io));
    },
  };
}

/**
 * The person typed the edit, so a file that they made or agreed to before is agreed to after it as well. No other file
 * becomes so, or an edit could be a way to agree to a file without having seen it.
 */
function renewalOf({ file, existing }: OpenedFile, agreed: Allowed | undefined, io: Io): Replacement | undefined {
  const isNew = existing === undefined && CONFIG_FILE_NAMES.includes(basename(file));
  if (agreed === undefined && !isNew) return undefined;
  return renewal(file, agreed, io, (fault) =>
    printProblems(io, [`${file}\nYou will have to agree to this file again: tacklebox allow. ${fault}`]),
  );
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
