import { mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { findServersPlace, type ServersPlace } from "@tacklebox/core";
import { renewal } from "../config-file/agreement/renew.ts";
import { cannotEdit } from "../config-file/edit-config.ts";
import { openFile, type Saved, saveFile } from "../config-file/edit-file.ts";
import { addEdit } from "../config-file/edit-servers.ts";
import { editText, readValue } from "../config-file/edit-text.ts";
import { CONFIG_FILE_NAMES, existsOnDisk } from "../config-file/find-config.ts";
import { configFolder } from "../config-file/folders.ts";
import type { Io } from "../io.ts";
import { printProblems } from "../output/print.ts";
import { CONFIG_TEMPLATE } from "./config-template.ts";

export type Entries = Parameters<typeof addEdit>[1];

/** A config file that does not exist yet. */
export interface NewConfig {
  readonly kind: "new";
  readonly file: string;
  readonly place: ServersPlace;
  /** Creates the file, with these servers. Refuses if it exists by now. */
  create(entries: Entries): Promise<Saved>;
}

export type NewConfigRefused = { readonly kind: "refused"; readonly message: string };

export interface WhereToCreate {
  /** The value of --config, if given. */
  readonly config: string | undefined;
  /** Whether to write to the current folder rather than to the person's own. */
  readonly here: boolean;
}

/** The config file to create. Refuses a place that has a config file already. */
export function newConfig(where: WhereToCreate, io: Io): NewConfig | NewConfigRefused {
  const file = fileFor(where, io);
  if (file.endsWith(".json")) return refused(`${file}\ninit writes YAML: name a file that ends in .yaml.`);
  const isUsual = CONFIG_FILE_NAMES.includes(basename(file));
  const candidates = isUsual ? CONFIG_FILE_NAMES.map((name) => join(dirname(file), name)) : [file];
  const existing = candidates.find(existsOnDisk);
  if (existing !== undefined) return refused(`${existing}\n${EXISTS}`);
  return {
    kind: "new",
    file,
    place: findServersPlace(readValue(CONFIG_TEMPLATE, "yaml")),
    create: (entries) => create(file, entries, io),
  };
}

const EXISTS = `There is a config file already, so nothing was changed. To check it: tacklebox check
To add servers to it: tacklebox add, or tacklebox import`;

function fileFor({ config, here }: WhereToCreate, io: Io): string {
  if (here) return join(io.cwd, "tacklebox.yaml");
  const named = config ?? (io.env.TACKLEBOX_CONFIG || undefined);
  return named === undefined ? join(configFolder(io), "tacklebox.yaml") : resolve(io.cwd, named);
}

async function create(file: string, entries: Entries, io: Io): Promise<Saved> {
  const place = findServersPlace(readValue(CONFIG_TEMPLATE, "yaml"));
  const text = entries.size === 0 ? CONFIG_TEMPLATE : editText(CONFIG_TEMPLATE, "yaml", addEdit(place, entries));
  if (text === undefined) return { kind: "refused", messages: [cannotEdit(file)] };
  if (dirname(file) === configFolder(io)) {
    const fault = await makeFolder(configFolder(io));
    if (fault !== undefined) return { kind: "refused", messages: [`${file}\n${fault}`] };
  }
  const opened = await openFile(file);
  if (opened.kind === "refused") return opened;
  if (opened.existing !== undefined) return { kind: "refused", messages: [`${file}\n${EXISTS}`] };
  return saveFile(opened, text, io, agreement(file, io));
}

/** Whoever has the file written into a folder agrees to it by that: commands there use it at once. */
function agreement(file: string, io: Io) {
  if (!CONFIG_FILE_NAMES.includes(basename(file)) || dirname(file) === configFolder(io)) return undefined;
  return renewal(file, undefined, io, (fault) =>
    printProblems(io, [`${file}\nYou have to agree to this file before it is used: tacklebox allow. ${fault}`]),
  );
}

async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    return `Its folder cannot be created (${code}). To write to the current folder instead: tacklebox init --here`;
  }
}

function refused(message: string): NewConfigRefused {
  return { kind: "refused", message };
}
