import { setImmediate } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { readNumber } from "../migrations.ts";

/** A millisecond or two of work. */
const ROWS_AT_ONCE = 500;

/** What a row takes up besides its long texts: the short ones, indexes, and room that pages leave unused. */
const ROW_BYTES = 512;

/** The sizes of texts are in the head of a row, so the texts themselves are not read. */
const SIZES_BEFORE = `
  SELECT seq, octet_length(arguments) + ifnull(octet_length(result), 0) + ifnull(octet_length(error), 0) AS bytes
  FROM calls WHERE seq < ? ORDER BY seq DESC LIMIT ${ROWS_AT_ONCE}`;

interface RowSize {
  readonly seq: number;
  readonly bytes: number;
}

/** The first of the newest rows that may stay (see PruneRule.keepBytes); 0 if all may. */
export async function firstWithinBytes(database: DatabaseSyncInstance, keepBytes: number): Promise<number> {
  if (usedBytes(database) <= keepBytes) return 0;
  const statement = database.prepare(SIZES_BEFORE);
  let first: number | undefined;
  let before = Number.MAX_SAFE_INTEGER;
  for (let total = 0; database.isOpen; await setImmediate()) {
    const rows: readonly RowSize[] = statement.all(before);
    for (const { seq, bytes } of rows) {
      total += bytes + ROW_BYTES;
      if (total <= keepBytes * 0.9) first = seq;
      first ??= seq;
      if (total > keepBytes) return first;
      before = seq;
    }
    if (rows.length < ROWS_AT_ONCE) return 0;
  }
  return 0;
}

/** The size of everything in the file. Pages that became free are used again, so they do not count. */
function usedBytes(database: DatabaseSyncInstance): number {
  const pages = readNumber(database, "PRAGMA page_count") - readNumber(database, "PRAGMA freelist_count");
  return pages * readNumber(database, "PRAGMA page_size");
}
