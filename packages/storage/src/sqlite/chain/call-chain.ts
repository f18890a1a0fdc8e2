import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { prepareLazily } from "../prepare-lazily.ts";
import { hashLink, type Link, NO_HASH, toCallEntry, toRemoval } from "./link.ts";
import { digestRow, type LoggedCall } from "./row-digest.ts";

/**
 * Chains what happens to ended calls. Entries are gathered while a transaction runs and written as one link at its end,
 * so calls that share a commit share a link. The last link is read in the same transaction, which holds the write lock,
 * unless this connection wrote it and no other has written since: all processes that use the file make one chain.
 */
export interface CallChain {
  /**
   * Forgets entries of a transaction that failed. Must be called at the start of every transaction. `isAsLeft`: no other
   * connection has written since `committed` was last called.
   */
  begin(isAsLeft: boolean): void;
  /** The number of the transaction. */
  transaction(): number;
  /** A call ended with this digest (row-digest.ts). */
  ended(id: string, digest: string): void;
  /** Calls ended, or changed after their end; their rows are read. */
  endedRow(seq: number): void;
  answeredLate(id: string): void;
  /** Removes a call that has ended; returns whether there was one. */
  remove(seq: number): boolean;
  /** An entry of another kind. */
  add(entry: string): void;
  /** Writes the link. Must be called at the end of the transaction. */
  finish(): void;
  /** Must be called once the transaction was committed. */
  committed(): void;
}

const HEAD = "SELECT seq, hash FROM call_links ORDER BY seq DESC LIMIT 1";
const ADD_LINK = "INSERT INTO call_links (seq, hash, at, entries) VALUES (?, ?, ?, ?)";
const CALL_BY_SEQ = "SELECT * FROM calls WHERE seq = ?";
const CALL_BY_ID = "SELECT * FROM calls WHERE id = ?";
const REMOVE_CALL = "DELETE FROM calls WHERE seq = ? AND status IN ('success', 'error') RETURNING id";

export function createCallChain(database: DatabaseSyncInstance, now: () => number): CallChain {
  const addLink = createLinkWriter(database);
  const callBySeq = prepareLazily(database, CALL_BY_SEQ);
  const callById = prepareLazily(database, CALL_BY_ID);
  const removeCall = prepareLazily(database, REMOVE_CALL);
  let entries: string[] = [];
  let transactions = 0;
  /** The last link, if it is known, and what it will be after the transaction. */
  let head: Head | undefined;
  let nextHead: Head | undefined;

  return {
    transaction: () => transactions,
    begin(isAsLeft) {
      transactions += 1;
      if (entries.length > 0) entries = [];
      if (!isAsLeft) head = undefined;
      nextHead = head;
    },
    ended: (id, digest) => void entries.push(toCallEntry("ended", id, digest)),
    endedRow(seq) {
      const row = getRow<LoggedCall>(callBySeq(), seq);
      if (row !== undefined) entries.push(toCallEntry("ended", row.id, digestRow(row)));
    },
    answeredLate(id) {
      const row = getRow<LoggedCall>(callById(), id);
      if (row !== undefined) entries.push(toCallEntry("late", row.id, digestRow(row)));
    },
    remove(seq) {
      const removed = getRow<Pick<LoggedCall, "id">>(removeCall(), seq);
      if (removed === undefined) return false;
      entries.push(toRemoval(removed.id));
      return true;
    },
    add: (entry) => void entries.push(entry),
    finish() {
      if (entries.length === 0) return;
      nextHead = addLink(new Date(now()).toISOString(), entries, head);
      entries = [];
    },
    committed() {
      head = nextHead;
    },
  };
}

type Head = Pick<Link, "seq" | "hash">;

/**
 * Returns a function that adds a link after the last one, which it looks for unless it is given, and returns the new
 * last one. It must be called in a transaction.
 */
export function createLinkWriter(
  database: DatabaseSyncInstance,
): (at: string, entries: readonly string[], head?: Head) => Head {
  const findHead = prepareLazily(database, HEAD);
  const add = prepareLazily(database, ADD_LINK);
  return (at, entries, head) => {
    const last = head ?? getRow<Head>(findHead());
    const link = { seq: (last?.seq ?? 0) + 1, at, entries: entries.join("\n") };
    const hash = hashLink(last?.hash ?? NO_HASH, link);
    add().run(link.seq, hash, at, link.entries);
    return { seq: link.seq, hash };
  };
}

function getRow<Row>(statement: StatementSyncInstance, ...parameters: readonly (string | number)[]): Row | undefined {
  const row: Row | undefined = statement.get(...parameters);
  return row;
}
