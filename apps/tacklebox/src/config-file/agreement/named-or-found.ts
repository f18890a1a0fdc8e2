import { join, resolve } from "node:path";
import type { CommandEnvironment } from "../../io.ts";
import { CONFIG_FILE_NAMES, existsOnDisk } from "../find-config.ts";

export type NamedOrFound =
  | { readonly kind: "ok"; readonly file: string }
  | { readonly kind: "missing"; readonly message: string };

/** The file that a person named, or the one that commands find in the current folder. */
export function namedOrFound(named: string | undefined, { cwd }: CommandEnvironment): NamedOrFound {
  if (named !== undefined) return { kind: "ok", file: resolve(cwd, named) };
  const file = CONFIG_FILE_NAMES.map((name) => join(cwd, name)).find(existsOnDisk);
  if (file !== undefined) return { kind: "ok", file };
  return {
    kind: "missing",
    message: `${cwd}\nThis folder has no ${CONFIG_FILE_NAMES.join(" or ")}. Name the file you mean.`,
  };
}
