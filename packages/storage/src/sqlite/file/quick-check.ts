import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { readNumber } from "../migrations.ts";
import { damaged, isDamage } from "../store-error.ts";

/** Throws StoreError `damaged` if the structure of the file is broken. Reads all of it. */
export function quickCheck(database: DatabaseSyncInstance, file: string): void {
  const found = firstProblem(database);
  if (found !== undefined) throw damaged(file, "its structure is broken", new Error(found));
}

/** How many bytes quickCheck would read. */
export function sizeOfDatabase(database: DatabaseSyncInstance): number {
  return readNumber(database, "PRAGMA page_count") * readNumber(database, "PRAGMA page_size");
}

function firstProblem(database: DatabaseSyncInstance): string | undefined {
  try {
    const row: { readonly quick_check: string } = database.prepare("PRAGMA quick_check(1)").get();
    return row.quick_check === "ok" ? undefined : row.quick_check;
  } catch (error) {
    if (isDamage(error) && error instanceof Error) return error.message;
    throw error;
  }
}
