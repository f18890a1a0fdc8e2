import { lstatSync } from "node:fs";
import { damaged } from "../store-error.ts";
import { repairMarkOf, walOf } from "./names.ts";

/**
 * Whether there is a database to open. Throws StoreError `damaged` where SQLite would begin a new, empty one, and even
 * remove the WAL: files are created whole (create-file.ts), so an empty one was emptied.
 *
 * Looks at names and sizes only. Opening a database file here would, when it is closed again, release the locks of
 * every other connection that this process has to it (https://www.sqlite.org/howtocorrupt.html).
 */
export function findFile(file: string): "there" | "missing" {
  if (sizeOf(repairMarkOf(file)) !== undefined) throw damaged(file, "its repair was interrupted");
  const size = sizeOf(file);
  const walSize = sizeOf(walOf(file)) ?? 0;
  if (size === undefined && walSize > 0)
    throw damaged(file, `it is gone, but ${walOf(file)}, which holds what was written to it last, is still there`);
  if (size === 0) throw damaged(file, "it is empty, which it should never be");
  return size === undefined ? "missing" : "there";
}

/** Whether there is a database or anything left of one: if not, nothing has been stored yet. */
export function hasDatabase(file: string): boolean {
  return sizeOf(file) !== undefined || sizeOf(repairMarkOf(file)) !== undefined || (sizeOf(walOf(file)) ?? 0) > 0;
}

function sizeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.size;
}
