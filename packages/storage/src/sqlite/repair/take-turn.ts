import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import { RESULT_CODE, resultCode } from "../store-error.ts";
import type { ExclusiveLock } from "./exclusive-lock.ts";

/**
 * Lets one process repair a database at a time; undefined if another does. The lock on the database itself cannot be
 * used: a damaged one may not let itself be locked, and while files change places it is not there. This is a lock of
 * SQLite on an empty file, so it ends with its process, however that ends.
 */
export function takeTurn(file: string): ExclusiveLock | undefined {
  const name = `${file}.repair-lock`;
  createIfMissing(name);
  const before = inodeOf(name);
  const database = new DatabaseSync(name, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (resultCode(error) === RESULT_CODE.busy) return undefined;
    throw error;
  }
  // Whoever had it until now removed it: what is locked here is a file without a name, which keeps nobody out.
  if (before === undefined || inodeOf(name) !== before) {
    database.close();
    return undefined;
  }
  return {
    release() {
      // Removed while it is locked. Windows removes no file that is open; there it stays.
      if (process.platform !== "win32") rmSync(name, { force: true });
      database.close();
    },
  };
}

/** Opens no file that exists: closing it would release the lock if this process holds it. */
function createIfMissing(name: string): void {
  try {
    closeSync(openSync(name, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function inodeOf(name: string): number | undefined {
  return statSync(name, { throwIfNoEntry: false })?.ino;
}
