import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { PruneRule } from "@tacklebox/core";
import type { GroupWriter } from "./group-writer.ts";

/** A few milliseconds of work: saves that come meanwhile wait no longer than for another save. */
const ROWS_AT_ONCE = 250;

/** Rows are added as time goes by, so the first that is young enough ends the old ones; no index has to be kept for it. */
const FIRST_YOUNG = "SELECT seq FROM calls WHERE started_at >= ? ORDER BY seq LIMIT 1";

const CALLS_BEFORE = `
  SELECT seq FROM calls WHERE status IN ('success', 'error') AND seq < ?
  ORDER BY seq LIMIT ${ROWS_AT_ONCE}`;

/** Counted from the old end, where little is to be skipped. */
const FIRST_KEPT = `
  SELECT seq FROM calls ORDER BY seq LIMIT 1 OFFSET max(0, (SELECT count(*) FROM calls) - ?)`;

const REMOVE_CALL = "DELETE FROM calls WHERE seq = ? AND status IN ('success', 'error')";

/** Plain SQL, because it is part of every start. Ends early, without complaint, when the store is closed meanwhile. */
export async function pruneCalls(
  database: DatabaseSyncInstance,
  writer: GroupWriter,
  rule: PruneRule,
): Promise<number> {
  const { olderThan, keepAtMost } = rule;
  // Fixed here, so that two processes that prune at once agree on what goes.
  const [firstYoung = LAST] = find(database, FIRST_YOUNG, olderThan);
  const [firstOfMost = LAST] = find(database, FIRST_KEPT, Math.min(keepAtMost, LAST));
  const firstKept = Math.max(firstYoung, firstOfMost);
  return removeAll(database, writer, () => find(database, CALLS_BEFORE, firstKept));
}

const LAST = Number.MAX_SAFE_INTEGER;

async function removeAll(
  database: DatabaseSyncInstance,
  writer: GroupWriter,
  findSome: () => readonly number[],
): Promise<number> {
  const statement = database.prepare(REMOVE_CALL);
  let removed = 0;
  while (database.isOpen) {
    // Looked for outside the transaction: with nothing to remove, nobody is kept from writing.
    const found = findSome();
    if (found.length === 0) break;
    await writer.write(() => {
      for (const seq of found) removed += statement.run(seq).changes;
    });
  }
  return removed;
}

function find(database: DatabaseSyncInstance, sql: string, bound: string | number): readonly number[] {
  const rows: readonly { readonly seq: number }[] = database.prepare(sql).all(bound);
  return rows.map(({ seq }) => seq);
}
