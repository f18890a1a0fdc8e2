import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { PruneRule } from "@tacklebox/core";
import type { CallChain } from "./chain/call-chain.ts";
import { foldLinks } from "./chain/fold-links.ts";
import type { GroupWriter } from "./group-writer.ts";

/** A few milliseconds of work, so that saves in the meantime wait no longer than for another save. */
const ROWS_AT_ONCE = 250;

/** Rows are in chronological order, so all rows before the first young one are old. This needs no index. */
const FIRST_YOUNG = "SELECT seq FROM calls WHERE started_at >= ? ORDER BY seq LIMIT 1";

const CALLS_BEFORE = `
  SELECT seq FROM calls WHERE status IN ('success', 'error') AND seq < ?
  ORDER BY seq LIMIT ${ROWS_AT_ONCE}`;

/** Counts from the oldest row, where few rows have to be skipped. */
const FIRST_KEPT = `
  SELECT seq FROM calls ORDER BY seq LIMIT 1 OFFSET max(0, (SELECT count(*) FROM calls) - ?)`;

/** Plain SQL, because it runs at every start. Stops early, without an error, if the store is closed meanwhile. */
export async function pruneCalls(
  database: DatabaseSyncInstance,
  writer: GroupWriter,
  chain: CallChain,
  rule: PruneRule,
): Promise<number> {
  const { olderThan, keepAtMost } = rule;
  // Determined once, so that two processes that prune at the same time agree on what to remove.
  const [firstYoung = LAST] = find(database, FIRST_YOUNG, olderThan);
  const [firstOfMost = LAST] = find(database, FIRST_KEPT, Math.min(keepAtMost, LAST));
  const firstKept = Math.max(firstYoung, firstOfMost);
  const removed = await removeAll(database, writer, chain, () => find(database, CALLS_BEFORE, firstKept));
  if (removed > 0) await foldLinks(database, writer, chain);
  return removed;
}

const LAST = Number.MAX_SAFE_INTEGER;

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

function find(database: DatabaseSyncInstance, sql: string, bound: string | number): readonly number[] {
  const rows: readonly { readonly seq: number }[] = database.prepare(sql).all(bound);
  return rows.map(({ seq }) => seq);
}
