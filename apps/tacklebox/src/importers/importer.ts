import { posix, win32 } from "node:path";
import type { ImportProgram } from "@tacklebox/core";
import type { CommandEnvironment } from "../io.ts";

/** A program that keeps MCP servers of its own. */
export interface Importer {
  readonly program: ImportProgram;
  /** What people call it. */
  readonly title: string;
  /** Every file it may keep servers in: those of the person first, then those of the current folder. */
  places(surroundings: CommandEnvironment): readonly string[];
}

export function pathOf({ platform }: CommandEnvironment): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** Where programs of this platform keep what belongs to a person. */
export function settingsFolder(surroundings: CommandEnvironment): string {
  const { env, home, platform } = surroundings;
  if (platform === "win32") return env.APPDATA || win32.join(home, "AppData", "Roaming");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support");
  return env.XDG_CONFIG_HOME || posix.join(home, ".config");
}
