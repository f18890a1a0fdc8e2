import { posix, win32 } from "node:path";
import type { ImportProgram } from "@tacklebox/core";
import type { CommandEnvironment } from "../io.ts";

/** Another program whose MCP servers can be imported. */
export interface Importer {
  readonly program: ImportProgram;
  /** The program's name as people write it. */
  readonly title: string;
  /** Every file that may hold its servers: the user's own first, then those of the current folder. */
  places(environment: CommandEnvironment): readonly string[];
}

export function pathOf({ platform }: CommandEnvironment): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** The folder in which programs on this platform keep a user's settings. */
export function settingsFolder(environment: CommandEnvironment): string {
  const { env, home, platform } = environment;
  if (platform === "win32") return env.APPDATA || win32.join(home, "AppData", "Roaming");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support");
  return env.XDG_CONFIG_HOME || posix.join(home, ".config");
}
