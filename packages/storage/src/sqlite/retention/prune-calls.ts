import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { AGE_SHARE, type PruneRule } from "@tacklebox/core";
import type { CallChain } from "../chain/call-chain.ts";
import { foldLinks } from "../chain/fold-links.ts";
import type { GroupWriter } from "../writing/group-writer.ts";
import { firstWithinBytes } from "./first-within-bytes.ts";

/** A few milliseconds of work, so that saves in the meantime wait no longer than for another save. */
const ROWS_AT_ONCE = 250;

/**
 * Rows are in chronological order but for those of a wrong clock, so all rows before the first young one are old. This
 * needs no index.
 */
const FIRST_YOUNG = "SELECT seq FROM calls WHERE started_at BETWEEN ? AND ? ORDER BY seq LIMIT 1";

const CALLS_BEFORE = `
  SELECT seq FROM calls WHERE status IN ('success', 'error') AND seq < ?
  ORDER BY seq LIMIT ${ROWS_AT_ONCE}`;

const OLD_CALLS_BEFORE = `
  SELECT seq FROM calls WHERE status IN ('success', 'error') AND seq < ? AND started_at < ?
  ORDER BY seq LIMIT ${ROWS_AT_ONCE}`;

/** Counts from the oldest row, where few rows have to be skipped. */
const FIRST_KEPT = `
  SELECT seq FROM calls ORDER BY seq LIMIT 1 OFFSET max(0, (SELECT count(*) FROM calls) - ?)`;

const AFTER_SHARE = `
  SELECT seq FROM calls ORDER BY seq LIMIT 1 OFFSET (SELECT ceil(count(*) * ${AGE_SHARE}) FROM calls)`;

/** Plain SQL, because it runs at every start. Stops early, without an error, if the store is closed meanwhile. */
export async function pruneCalls(
  database: DatabaseSyncInstance,
  writer: GroupWriter,
  chain: CallChain,
  rule: PruneRule,
): Promise<number> {
  const { young, keepAtMost, keepBytes } = rule;
  // Determined once, so that two processes that prune at the same time agree on what to remove.
  const byAge = young === undefined ? 0 : firstYoung(database, young);
  const old = young?.from ?? "";
  const [byNumber = LAST] = find(database, FIRST_KEPT, Math.min(keepAtMost, LAST));
  const bySize = await firstWithinBytes(database, keepBytes);
  if (!database.isOpen) return 0;
  const firstKept = Math.max(byNumber, bySize);
  const removed = await removeAll(database, writer, chain, () => {
    const tooMany = find(database, CALLS_BEFORE, firstKept);
    return tooMany.length > 0 ? tooMany : find(database, OLD_CALLS_BEFORE, byAge, old);
  });
  if (removed > 0) await foldLinks(database, writer, chain);
  return removed;
}

const LAST = Number.MAX_SAFE_INTEGER;

function firstYoung(database: DatabaseSyncInstance, { from, until }: NonNullable<PruneRule["young"]>): number {
  const [first = LAST] = find(database, FIRST_YOUNG, from, until);
  const [oldest = LAST] = find(database, OLDEST);
  // Usually nothing is too old, and then there is no share to count out.
  if (first <= oldest) return first;
  const [afterShare = LAST] = find(database, AFTER_SHARE);
  return Math.min(first, afterShare);
}

const OLDEST = "SELECT seq FROM calls ORDER BY seq LIMIT 1";

async function removeAll(
  database: DatabaseSyncInstance,
  writer: GroupWriter,
  chain: CallChain,
  findSome: () => readonly number[],
): Promise<number> {
  let removed = 0;
  while (database.isOpen) {
    // Searched outside the transaction: if there is nothing to remove, the write lock is not taken.
    const found = findSome();
    if (found.length === 0) break;
    await writer.write(() => {
      for (const seq of found) if (chain.remove(seq)) removed += 1;
    });
  }
  return removed;
}

function find(database: DatabaseSyncInstance, sql: string, ...bounds: (string | number)[]): readonly number[] {
  const rows: readonly { readonly seq: number }[] = database.prepare(sql).all(...bounds);
  return rows.map(({ seq }) => seq);
}
