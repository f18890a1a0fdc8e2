import { posix, win32 } from "node:path";
import type { CommandEnvironment } from "../io.ts";
import { configFolder } from "./folders.ts";

export type FoundConfig =
  | { readonly kind: "found"; readonly file: string }
  | { readonly kind: "missing"; readonly lookedAt: readonly string[] };

const FILE_NAMES = ["tacklebox.yaml", "tacklebox.json"];

/** Returns the explicit file as it is; otherwise looks in the current folder, then in the person's config folder. */
export function findConfig(
  explicit: string | undefined,
  environment: CommandEnvironment,
  exists: (file: string) => boolean,
): FoundConfig {
  const path = environment.platform === "win32" ? win32 : posix;
  if (explicit !== undefined) return { kind: "found", file: path.resolve(environment.cwd, explicit) };
  const lookedAt = [environment.cwd, configFolder(environment)].flatMap((folder) =>
    FILE_NAMES.map((name) => path.join(folder, name)),
  );
  const file = lookedAt.find(exists);
  return file === undefined ? { kind: "missing", lookedAt } : { kind: "found", file };
}

export function describeMissingConfig(lookedAt: readonly string[]): string {
  return [
    "No config file found. Looked at:",
    ...lookedAt.map((file) => `  ${file}`),
    "",
    "Add a server with `tacklebox add`, bring over those of another program with `tacklebox import`,",
    "or save this as tacklebox.yaml and run `tacklebox check`:",
    "",
    "  servers:",
    "    files:",
    "      command: npx",
    '      args: [-y, "@modelcontextprotocol/server-filesystem", .]',
    "",
    "Or name a file with --config FILE.",
  ].join("\n");
}
