import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { CallLog, CallQuery } from "@tacklebox/core";
import type { Kysely, RawBuilder } from "kysely";
import { fromCallRow } from "./call-row.ts";
import type { CallWriter } from "./call-writer.ts";
import type { GroupWriter } from "./group-writer.ts";
import { inSavepoint } from "./in-transaction.ts";
import { pruneCalls } from "./prune-calls.ts";
import { toLimit } from "./stored-value.ts";
import { type CallsTable, readRows, type Tables } from "./tables.ts";

export interface CallLogOptions {
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
    completed_at = ?,
    sent = (status = 'running')
  WHERE status IN ('pending', 'running') AND owner = ?`;

const OTHER_OWNERS = `
  SELECT DISTINCT owner FROM calls WHERE status IN ('pending', 'running') AND owner != ?`;

export function createCallLog(
  database: DatabaseSyncInstance,
  calls: CallWriter,
  writer: GroupWriter,
  { owner, isOwnerAlive, now }: CallLogOptions,
): CallLog {
  return {
    save: (record, saved) => calls.save(record, saved),
    noteLateAnswer: (id, at) => calls.noteLateAnswer(id, at),
    async load(id) {
      const { queries } = await import("./queries.ts");
      const [row] = readRows(database, queries.selectFrom("calls").selectAll().where("id", "=", id).compile());
      return row === undefined ? undefined : fromCallRow(row);
    },
    async list(query) {
      const { queries, isOpen } = await import("./queries.ts");
      return readRows(database, selectCalls(queries, isOpen, query)).map(fromCallRow);
    },
    prune: (rule) => pruneCalls(database, writer, rule),
    async recover() {
      let ended = 0;
      await writer.write(() =>
        inSavepoint(database, () => {
          ended = endCallsOfTheDead();
        }),
      );
      return ended;
    },
  };

  function endCallsOfTheDead(): number {
    const endCalls = database.prepare(END_CALLS_OF_OWNER);
    const completedAt = new Date(now()).toISOString();
    const others: readonly Pick<CallsTable, "owner">[] = database.prepare(OTHER_OWNERS).all(owner);
    return others
      .filter((row) => !isOwnerAlive(row.owner))
      .reduce((ended, row) => ended + endCalls.run(completedAt, row.owner).changes, 0);
  }
}

function selectCalls(queries: Kysely<Tables>, isOpen: RawBuilder<boolean>, query: CallQuery) {
  const limit = toLimit(query.limit);
  let select = queries.selectFrom("calls").selectAll().orderBy("seq", "desc").limit(limit);
  if (query.server !== undefined) select = select.where("server", "=", query.server);
  if (query.toolName !== undefined) select = select.where("tool_name", "=", query.toolName);
  if (query.status !== undefined) select = select.where("status", "=", query.status);
  // Nothing is smaller than the number of a call that is not there.
  if (query.after !== undefined)
    select = select.where("seq", "<", queries.selectFrom("calls").select("seq").where("id", "=", query.after));
  if (query.status === "pending" || query.status === "running") select = select.where(isOpen);
  return select.compile();
}
