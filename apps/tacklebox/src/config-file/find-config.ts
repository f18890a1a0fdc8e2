import { existsSync, lstatSync, realpathSync } from "node:fs";
import { posix, win32 } from "node:path";
import type { CommandEnvironment } from "../io.ts";
import { configFolder } from "./folders.ts";

/**
 * Who chose the file. `operator`: named with --config or TACKLEBOX_CONFIG, or in the person's own config folder.
 * `current-folder`: it happened to be there, as in a cloned repository, so it counts only if a person agreed to it.
 */
export type ConfigOrigin = "operator" | "current-folder";

export interface FoundFile {
  readonly kind: "found";
  readonly file: string;
  readonly origin: ConfigOrigin;
}

export type FoundConfig = FoundFile | { readonly kind: "missing"; readonly lookedAt: readonly string[] };

export const CONFIG_FILE_NAMES: readonly string[] = ["tacklebox.yaml", "tacklebox.json"];

/** What is needed of the file system to find a config file. */
export interface FileLookup {
  exists(file: string): boolean;
  isSameFolder(a: string, b: string): boolean;
}

/** A link that leads nowhere is there too: a command has to say so instead of passing it over. */
export function existsOnDisk(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Its folder may not be looked into.
    return false;
  }
}

const onDisk: FileLookup = {
  exists: existsOnDisk,
  isSameFolder: (a, b) => existsSync(a) && existsSync(b) && realpathSync(a) === realpathSync(b),
};

/**
 * Returns the file of --config, else that of TACKLEBOX_CONFIG; otherwise looks in the current folder, then in the
 * person's config folder.
 */
export function findConfig(
  explicit: string | undefined,
  environment: CommandEnvironment,
  lookup: FileLookup = onDisk,
): FoundConfig {
  const path = pathOf(environment);
  const { cwd, env } = environment;
  const named = explicit ?? (env.TACKLEBOX_CONFIG || undefined);
  if (named !== undefined) return { kind: "found", file: path.resolve(cwd, named), origin: "operator" };
  const own = findOwnConfig(environment, lookup);
  const inFolder = CONFIG_FILE_NAMES.map((name) => path.join(cwd, name));
  const file = inFolder.find(lookup.exists);
  if (file === undefined) {
    return own.kind === "found" ? own : { kind: "missing", lookedAt: [...inFolder, ...own.lookedAt] };
  }
  const origin = lookup.isSameFolder(cwd, configFolder(environment)) ? "operator" : "current-folder";
  return { kind: "found", file, origin };
}

/** Looks in the person's config folder only. */
export function findOwnConfig(environment: CommandEnvironment, lookup: FileLookup = onDisk): FoundConfig {
  const path = pathOf(environment);
  const lookedAt = CONFIG_FILE_NAMES.map((name) => path.join(configFolder(environment), name));
  const file = lookedAt.find(lookup.exists);
  return file === undefined ? { kind: "missing", lookedAt } : { kind: "found", file, origin: "operator" };
}

function pathOf({ platform }: CommandEnvironment): typeof posix {
  return platform === "win32" ? win32 : posix;
}

export function describeMissingConfig(lookedAt: readonly string[]): string {
  return [
    "No config file found. Looked at:",
    ...lookedAt.map((file) => `  ${file}`),
    "To create one: tacklebox init",
    "To use another file: --config FILE, or TACKLEBOX_CONFIG",
  ].join("\n");
}
