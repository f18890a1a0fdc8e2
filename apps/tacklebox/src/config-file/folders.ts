import { posix, win32 } from "node:path";
import type { CommandEnvironment } from "../io.ts";

/** The folder of the person's own config file, used when the current folder has none. */
export function configFolder(environment: CommandEnvironment): string {
  const { env, home, platform } = environment;
  if (platform === "win32")
    return win32.join(absolute(env.APPDATA, platform) ?? win32.join(home, "AppData", "Roaming"), "tacklebox");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", "tacklebox");
  return posix.join(absolute(env.XDG_CONFIG_HOME, platform) ?? posix.join(home, ".config"), "tacklebox");
}

/** The folder of the call log, the inventory and everything else that is stored. `TACKLEBOX_DATA` overrides it. */
export function dataFolder(environment: CommandEnvironment): string {
  const { env, home, platform, cwd } = environment;
  const path = platform === "win32" ? win32 : posix;
  const chosen = env.TACKLEBOX_DATA;
  if (chosen) return path.resolve(cwd, chosen);
  if (platform === "win32") {
    const local = absolute(env.LOCALAPPDATA, platform) ?? win32.join(home, "AppData", "Local");
    return win32.join(local, "tacklebox", "data");
  }
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", "tacklebox", "data");
  return posix.join(absolute(env.XDG_DATA_HOME, platform) ?? posix.join(home, ".local", "share"), "tacklebox");
}

// The XDG specification says that relative values are invalid and must be ignored.
function absolute(value: string | undefined, platform: NodeJS.Platform): string | undefined {
  if (!value) return undefined;
  const path = platform === "win32" ? win32 : posix;
  return path.isAbsolute(value) ? value : undefined;
}
