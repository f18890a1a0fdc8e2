import type { CallQuery, CallRecord } from "../domain/call.ts";
import type { CallLog, Inventory, ServerInventory, Store } from "../ports/store.ts";
import {
  createMemoryEmbeddings,
  createMemoryGpts,
  createMemoryGrants,
  createMemorySessions,
} from "./memory-conversations.ts";

export interface MemoryStoreOptions {
  readonly owner: string;
  /** Nobody else shares this memory, so by default every other owner counts as dead. */
  readonly isOwnerAlive?: (owner: string) => boolean;
  readonly now?: () => number;
  /** Makes a save fail with the error it returns, to try what happens when the log cannot be written. */
  readonly failSave?: (record: CallRecord) => Error | undefined;
}

/** A store that forgets with the process. Keeps and returns copies, as a real one would. */
export function createMemoryStore(options: MemoryStoreOptions): Store {
  let open = true;
  const refuseWhenClosed = () => {
    if (!open) throw new Error("The store is closed; open it again to write to it.");
  };
  const grants = createMemoryGrants(refuseWhenClosed);
  return {
    calls: createMemoryCalls(options, refuseWhenClosed),
    inventory: createMemoryInventory(),
    sessions: createMemorySessions(grants, refuseWhenClosed),
    grants,
    gpts: createMemoryGpts(refuseWhenClosed),
    embeddings: createMemoryEmbeddings(refuseWhenClosed),
    async close() {
      open = false;
    },
  };
}

function createMemoryCalls(options: MemoryStoreOptions, refuseWhenClosed: () => void): CallLog {
  const { owner, isOwnerAlive = () => false, now = () => 0, failSave } = options;
  // A Map keeps the place of a key that is set again, so its order is the order of first saves.
  const rows = new Map<string, CallRecord>();

  return {
    async save(record) {
      refuseWhenClosed();
      const failure = failSave?.(record);
      if (failure) throw failure;
      const known = rows.get(record.id);
      if (known && !isUnfinished(known)) return;
      rows.set(record.id, structuredClone(record));
    },
    async noteLateAnswer(id, at) {
      refuseWhenClosed();
      const known = rows.get(id);
      if (known?.status === "error") rows.set(id, { ...known, lateAnswerAt: at });
    },
    async load(id) {
      return structuredClone(rows.get(id));
    },
    async list(query) {
      const newestFirst = olderThan([...rows.values()].reverse(), query.after);
      const found = newestFirst.filter((record) => matches(record, query));
      return structuredClone(found.slice(0, Math.max(0, query.limit)));
    },
    async recover() {
      const orphans = [...rows.values()].filter(
        (record) => isUnfinished(record) && record.owner !== owner && !isOwnerAlive(record.owner),
      );
      for (const orphan of orphans) rows.set(orphan.id, toInterrupted(orphan, new Date(now()).toISOString()));
      return orphans.length;
    },
    async prune({ olderThan, keepAtMost }) {
      const firstKept = Math.max(0, rows.size - keepAtMost);
      const gone = [...rows.values()].filter(
        (record, index) => !isUnfinished(record) && (record.startedAt < olderThan || index < firstKept),
      );
      for (const { id } of gone) rows.delete(id);
      return gone.length;
    },
  };
}

function isUnfinished(record: CallRecord): boolean {
  return record.status === "pending" || record.status === "running";
}

function olderThan(newestFirst: readonly CallRecord[], id: string | undefined): readonly CallRecord[] {
  if (id === undefined) return newestFirst;
  const place = newestFirst.findIndex((record) => record.id === id);
  return place < 0 ? [] : newestFirst.slice(place + 1);
}

function matches(record: CallRecord, query: CallQuery): boolean {
  if (query.server !== undefined && record.server !== query.server) return false;
  if (query.toolName !== undefined && record.toolName !== query.toolName) return false;
  return query.status === undefined || record.status === query.status;
}

function toInterrupted(record: CallRecord, completedAt: string): CallRecord {
  const error =
    record.status === "pending"
      ? "The process that made this call ended before the call was made."
      : "The process that made this call ended before the answer came; it may have run.";
  return { ...record, status: "error", ending: "interrupted", error, completedAt, sent: record.status === "running" };
}

function createMemoryInventory(): Inventory {
  const servers = new Map<string, ServerInventory>();
  return {
    async load(scope, server) {
      return structuredClone(servers.get(JSON.stringify([scope, server])));
    },
    async save(inventory) {
      servers.set(JSON.stringify([inventory.scope, inventory.server]), structuredClone(inventory));
    },
  };
}
