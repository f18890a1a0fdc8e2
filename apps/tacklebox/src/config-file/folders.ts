import { posix, win32 } from "node:path";
import type { CommandEnvironment } from "../io.ts";
import { quoteForShell } from "./quote-for-shell.ts";

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
  const path = pathOf(platform);
  const chosen = env.TACKLEBOX_DATA;
  if (chosen) return path.resolve(cwd, chosen);
  if (platform === "win32") {
    const local = absolute(env.LOCALAPPDATA, platform) ?? win32.join(home, "AppData", "Local");
    return win32.join(local, "tacklebox", "data");
  }
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", "tacklebox", "data");
  return posix.join(absolute(env.XDG_DATA_HOME, platform) ?? posix.join(home, ".local", "share"), "tacklebox");
}

/**
 * Why no command may run with these folders; undefined if all may. What is in them is taken for the person's own: their
 * config, agreements, grants and secrets. A relative path would mean folders of the current folder, which may have come
 * with a repository. An absolute one is the operator's word, wherever it leads.
 */
export function whyFoldersAreRefused(environment: CommandEnvironment): string | undefined {
  const { env, home, platform, cwd } = environment;
  const { isAbsolute, resolve } = pathOf(platform);
  const chosen = env.TACKLEBOX_DATA;
  if (chosen && !isAbsolute(chosen))
    return `TACKLEBOX_DATA is '${chosen}', a relative path. It would mean a different data folder in every folder you work in, perhaps one that came with a repository and holds permissions that you never gave. Nothing was done.\nIf you mean the one in this folder, write: TACKLEBOX_DATA=${quoteForShell(resolve(cwd, chosen))}`;
  if (isAbsolute(configFolder(environment)) && isAbsolute(dataFolder(environment))) return undefined;
  const variable = platform === "win32" ? "USERPROFILE" : "HOME";
  return `${variable} is '${home}', which is not an absolute path, so a folder that came with a repository could pass for your own config folder. Nothing was done.\nSet ${variable} to the path of your home folder.`;
}

// The XDG specification says that relative values are invalid and must be ignored.
function absolute(value: string | undefined, platform: NodeJS.Platform): string | undefined {
  return value && pathOf(platform).isAbsolute(value) ? value : undefined;
}

function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}
