import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { CallLog, CallQuery } from "@tacklebox/core";
import { fromCallRow } from "./call-row.ts";
import type { CallWriter } from "./call-writer.ts";
import { inTransaction } from "./in-transaction.ts";
import { toWriteError } from "./store-error.ts";
import { queries, readRows } from "./tables.ts";

export interface CallLogOptions {
  readonly file: string;
  readonly owner: string;
  readonly isOwnerAlive: (owner: string) => boolean;
  readonly now: () => number;
}

const END_CALLS_OF_OWNER = `
  UPDATE calls SET
    status = 'error',
    ending = 'interrupted',
    error = CASE status
      WHEN 'pending' THEN 'The process that made this call ended before the call was made.'
      ELSE 'The process that made this call ended before the answer came; it may have run.'
    END,
    completed_at = ?
  WHERE status IN ('pending', 'running') AND owner = ?`;

export function createCallLog(database: DatabaseSyncInstance, writer: CallWriter, options: CallLogOptions): CallLog {
  const { file, owner, isOwnerAlive, now } = options;

  return {
    save: (record) => writer.save(record),
    async load(id) {
      const [row] = readRows(database, queries.selectFrom("calls").selectAll().where("id", "=", id).compile());
      return row === undefined ? undefined : fromCallRow(row);
    },
    async list(query) {
      return readRows(database, selectCalls(query)).map(fromCallRow);
    },
    async recover() {
      try {
        return inTransaction(database, () => endCallsOfTheDead());
      } catch (error) {
        throw toWriteError(file, error);
      }
    },
  };

  function endCallsOfTheDead(): number {
    const endCalls = database.prepare(END_CALLS_OF_OWNER);
    const completedAt = new Date(now()).toISOString();
    return readRows(database, selectOtherOwners(owner))
      .filter((row) => !isOwnerAlive(row.owner))
      .reduce((ended, row) => ended + endCalls.run(completedAt, row.owner).changes, 0);
  }
}

function selectCalls(query: CallQuery) {
  // SQLite takes a negative limit for "all" and refuses Infinity, which means "all" to everyone else.
  const limit = Math.min(Math.max(0, query.limit), Number.MAX_SAFE_INTEGER);
  let select = queries.selectFrom("calls").selectAll().orderBy("seq", "desc").limit(limit);
  if (query.server !== undefined) select = select.where("server", "=", query.server);
  if (query.toolName !== undefined) select = select.where("tool_name", "=", query.toolName);
  if (query.status !== undefined) select = select.where("status", "=", query.status);
  return select.compile();
}

function selectOtherOwners(owner: string) {
  return queries
    .selectFrom("calls")
    .select("owner")
    .distinct()
    .where("status", "in", ["pending", "running"])
    .where("owner", "!=", owner)
    .compile();
}
