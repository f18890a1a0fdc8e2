import type { Stats } from "node:fs";
import { quoteForShell } from "./quote-for-shell.ts";

/** The ids of this process; undefined on systems without them. */
export interface OwnIds {
  readonly user: number;
  readonly group: number;
}

export function readOwnIds(): OwnIds | undefined {
  const { getuid, getgid } = process;
  return getuid === undefined || getgid === undefined ? undefined : { user: getuid(), group: getgid() };
}

/** A warning about a config file that other users can change, and so decide what runs here. */
export function describeForeignWriters(
  file: string,
  { mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">,
  own: OwnIds | undefined,
): string | undefined {
  if (own === undefined) return undefined;
  if (uid !== own.user && uid !== 0)
    return `${file}\nThis config file belongs to another user (uid ${uid}), who can decide with it what Tacklebox starts. Use a copy of your own.`;
  // On many systems everybody has a group of their own, which files may be writable for.
  const groupMayWrite = (mode & 0o020) !== 0 && gid !== own.group;
  if (!groupMayWrite && (mode & 0o002) === 0) return undefined;
  return `${file}\nOther users may write to this config file and decide with it what Tacklebox starts. To stop that: chmod go-w ${quoteForShell(file)}`;
}
