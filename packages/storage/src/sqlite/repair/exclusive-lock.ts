import { linkSync, rmSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import { shmOf, walOf } from "../file/names.ts";
import { RESULT_CODE, resultCode } from "../store-error.ts";

export interface ExclusiveLock {
  release(): void;
}

/**
 * Keeps other processes out of a database; undefined if one is using it. Locks belong to the file, not to its name, so
 * this goes by a second name: under the real one, SQLite would write the WAL into a file that is damaged, or remove it.
 * No file handle to the database may be closed in this process while the lock is held (check-file.ts).
 */
export function lockExclusively(file: string): ExclusiveLock | undefined {
  const name = `${file}.${crypto.randomUUID()}.lock`;
  try {
    linkSync(file, name);
  } catch {
    // The file is gone, or this file system has no second names; the list of members has to do.
    return { release: () => undefined };
  }
  const database = new DatabaseSync(name, { timeout: 0 });
  const release = () => {
    database.close();
    for (const path of [name, walOf(name), shmOf(name)]) rmSync(path, { force: true });
  };
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    // Any other error comes from the damage; the lock was not refused.
    if (resultCode(error) === RESULT_CODE.busy) {
      release();
      return undefined;
    }
  }
  return { release };
}
