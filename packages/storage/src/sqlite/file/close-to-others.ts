import { chmodSync, lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "@tacklebox/core";
import { shmOf, walOf } from "./names.ts";

export interface OwnerOptions {
  /** The user id of this process; undefined on systems without user ids and file modes. */
  readonly userId?: number | undefined;
  /** Receives a sentence about anything that was open to other users, or still is. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Defaults to that of the system. */
  readonly changeMode?: (path: string, mode: number) => void;
}

const WRITABLE_BY_OTHERS = 0o022;
const ANYTHING_BY_OTHERS = 0o077;
const STICKY = 0o1000;
const CANNOT_CLOSE =
  "and its file system does not allow that to be changed. Use TACKLEBOX_DATA to name a data folder elsewhere.";

/**
 * The database holds grants, and arguments and results of tools: only this user may read or write it. Closes what other
 * users could get at, and refuses files that are not of this user, or links. Goes by names: see check-file.ts.
 */
export function closeToOthers(file: string, options: OwnerOptions): void {
  closeFolder(dirname(file), options);
  for (const path of [file, walOf(file), shmOf(file)]) closeFile(path, options);
}

function closeFile(path: string, { userId, warn, changeMode }: OwnerOptions): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isSymbolicLink())
    throw refused(`${path} is a link. Put the file itself there: a link could point to someone else's file.`);
  if (userId === undefined || !stats.isFile()) return;
  if (stats.uid !== userId)
    throw refused(
      `${path} belongs to another user. Make the user who runs Tacklebox its owner: chown ${userId} '${path}'`,
    );
  if ((stats.mode & ANYTHING_BY_OTHERS) === 0) return;
  if (!tryToClose(path, 0o600, changeMode) || (statSync(path).mode & ANYTHING_BY_OTHERS) !== 0) {
    warn?.(`${path} is open to other users (mode ${modeOf(stats)}), ${CANNOT_CLOSE}`);
    return;
  }
  warn?.(
    `${path} was open to other users (mode ${modeOf(stats)}). Only you can open it now; if somebody may have changed it, ` +
      "check with: tacklebox calls verify and tacklebox grants list",
  );
}

function closeFolder(folder: string, { userId, warn, changeMode }: OwnerOptions): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (userId === undefined || stats === undefined || !stats.isDirectory()) return;
  const isOpen = (stats.mode & WRITABLE_BY_OTHERS) !== 0 && (stats.mode & STICKY) === 0;
  if (stats.uid === userId) {
    if (!isOpen) return;
    const closed = stats.mode & 0o7777 & ~WRITABLE_BY_OTHERS;
    if (!tryToClose(folder, closed, changeMode) || (statSync(folder).mode & WRITABLE_BY_OTHERS) !== 0) {
      warn?.(`Other users can replace files in ${folder} (mode ${modeOf(stats)}), ${CANNOT_CLOSE}`);
      return;
    }
    warn?.(`Other users could replace files in ${folder} (mode ${modeOf(stats)}). They no longer can.`);
    return;
  }
  // A folder of root is usual where a volume is mounted; root can do anything anyway.
  if (stats.uid === 0 && (stats.mode & 0o002) === 0) return;
  warn?.(
    `${folder} belongs to another user, or any user may write there: files in it can be replaced. ` +
      "Use TACKLEBOX_DATA to name a folder of your own.",
  );
}

/** Where files have no modes of their own, changing them fails, or does nothing. */
function tryToClose(path: string, mode: number, changeMode: OwnerOptions["changeMode"] = chmodSync): boolean {
  try {
    changeMode(path, mode);
    return true;
  } catch {
    return false;
  }
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

function refused(text: string): StoreError {
  return new StoreError("cannot-open", `Cannot open the call log: ${text}`);
}
