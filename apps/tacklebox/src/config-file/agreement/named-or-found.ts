import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { CommandEnvironment } from "../../io.ts";
import { CONFIG_FILE_NAMES, existsOnDisk } from "../find-config.ts";

export type NamedOrFound =
  | { readonly kind: "ok"; readonly file: string }
  | { readonly kind: "refused"; readonly message: string };

/**
 * The file that a person named, the one of a folder that they named, or the one that commands find in the current folder.
 * Refuses a name that no command finds: agreeing to that file or denying it would change nothing.
 */
export function namedOrFound(named: string | undefined, { cwd }: CommandEnvironment): NamedOrFound {
  const path = resolve(cwd, named ?? ".");
  if (named === undefined || isFolder(path)) return foundIn(path);
  if (CONFIG_FILE_NAMES.includes(basename(path))) return { kind: "ok", file: path };
  return {
    kind: "refused",
    message: `${path}\nOnly ${CONFIG_FILE_NAMES.join(" and ")} are used from a folder. A file named with --config needs no agreement.`,
  };
}

function foundIn(folder: string): NamedOrFound {
  const file = CONFIG_FILE_NAMES.map((name) => join(folder, name)).find(existsOnDisk);
  if (file !== undefined) return { kind: "ok", file };
  return {
    kind: "refused",
    message: `${folder}\nThis folder has no ${CONFIG_FILE_NAMES.join(" or ")}. Name the file you mean.`,
  };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // It may not be looked into.
    return false;
  }
}
