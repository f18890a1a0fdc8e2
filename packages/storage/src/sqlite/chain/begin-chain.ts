import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { createLinkWriter } from "./call-chain.ts";
import { toCallEntry } from "./link.ts";
import { digestRow, type LoggedCall } from "./row-digest.ts";

/** Rows in one link. A link is read as a whole. */
const ROWS_AT_ONCE = 1_000;

const ENDED_AFTER = `
  SELECT * FROM calls WHERE seq > ? AND status IN ('success', 'error') ORDER BY seq LIMIT ${ROWS_AT_ONCE}`;
const NOW = "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS now";

/**
 * Begins the chain with the calls that have already ended. What happened to them before this moment, nothing can show.
 * There is always a first link, so a chain without any was removed. Must be called in a transaction.
 */
export function beginChain(database: DatabaseSyncInstance, first: readonly string[] = []): void {
  const { now }: { readonly now: string } = database.prepare(NOW).get();
  const addLink = createLinkWriter(database);
  addLink(now, first);
  const select = database.prepare(ENDED_AFTER);
  for (let last = 0; ; ) {
    const entries: string[] = [];
    // One by one: a thousand rows with large results do not fit into memory together.
    const rows: Iterable<LoggedCall> = select.iterate(last);
    for (const row of rows) {
      entries.push(toCallEntry("before", row.id, digestRow(row)));
      last = row.seq;
    }
    if (entries.length === 0) return;
    addLink(now, entries);
  }
}
