import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { CallRecord } from "@tacklebox/core";
import { type CallRow, toCallRow } from "./call-row.ts";
import { inTransaction } from "./in-transaction.ts";
import { RESULT_CODE, resultCode, StoreError, toWriteError } from "./store-error.ts";

/** Writes calls in groups: whatever was saved during one turn of the event loop shares one commit and one fsync. */
export interface CallWriter {
  /** Resolves after the commit. A save that fails leaves the others of its group, and later ones, alone if it can. */
  save(record: CallRecord): Promise<void>;
  /** Writes what is waiting and refuses every save from now on. */
  close(): void;
}

interface WaitingSave {
  readonly row: CallRow;
  resolve(): void;
  reject(error: StoreError): void;
}

const SAVE_CALL = `
  INSERT INTO calls (id, scope, server, tool_name, shown_name, arguments, status, ending, error, result, decision,
                     started_at, completed_at, owner)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET
    scope = excluded.scope, server = excluded.server, tool_name = excluded.tool_name,
    shown_name = excluded.shown_name, arguments = excluded.arguments, status = excluded.status,
    ending = excluded.ending, error = excluded.error, result = excluded.result, decision = excluded.decision,
    started_at = excluded.started_at, completed_at = excluded.completed_at, owner = excluded.owner
  WHERE status IN ('pending', 'running')`;

export function createCallWriter(database: DatabaseSyncInstance, file: string): CallWriter {
  const statement = database.prepare(SAVE_CALL);
  let waiting: WaitingSave[] = [];
  let state: "open" | "closed" = "open";

  return {
    async save(record) {
      if (state === "closed") {
        throw new StoreError("closed", `The store ${file} is closed; open it again to save calls.`);
      }
      // Turned into text now: the caller may change the record before the commit.
      const row = toCallRow(record);
      return new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject });
        if (waiting.length === 1) setImmediate(flush);
      });
    },
    close() {
      state = "closed";
      flush();
    },
  };

  function flush(): void {
    if (waiting.length === 0) return;
    const group = waiting;
    waiting = [];
    try {
      const refused = inTransaction(database, () => writeGroup(group));
      for (const save of group) settle(save, refused.get(save));
    } catch (error) {
      for (const save of group) settle(save, error);
    }
  }

  function writeGroup(group: readonly WaitingSave[]): ReadonlyMap<WaitingSave, unknown> {
    const refused = new Map<WaitingSave, unknown>();
    for (const save of group) {
      try {
        insert(save.row);
      } catch (error) {
        if (!isFaultOfOneRow(error)) throw error;
        refused.set(save, error);
      }
    }
    return refused;
  }

  function insert(row: CallRow): void {
    statement.run(
      row.id,
      row.scope,
      row.server,
      row.tool_name,
      row.shown_name,
      row.arguments,
      row.status,
      row.ending,
      row.error,
      row.result,
      row.decision,
      row.started_at,
      row.completed_at,
      row.owner,
    );
  }

  function settle(save: WaitingSave, error: unknown): void {
    if (error !== undefined) {
      save.reject(toWriteError(file, error));
      return;
    }
    save.resolve();
  }
}

/** SQLite undoes such a statement by itself and the transaction goes on; after any other error it is not to be trusted. */
function isFaultOfOneRow(error: unknown): boolean {
  const code = resultCode(error);
  return code === RESULT_CODE.constraint || code === RESULT_CODE.tooBig || code === RESULT_CODE.mismatch;
}
