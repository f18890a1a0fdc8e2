import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { CallLog, CallQuery, MemberDeps } from "@tacklebox/core";
import type { Kysely, RawBuilder } from "kysely";
import { fromCallRow } from "../rows/call-row.ts";
import type { CallWriter } from "./call-writer.ts";
import type { CallChain } from "./chain/call-chain.ts";
import { quickCheck, sizeOfDatabase } from "./file/quick-check.ts";
import { endOfPrefix, toLimit } from "./parameters.ts";
import { newestBefore } from "./retention/newest-before.ts";
import { pruneCalls } from "./retention/prune-calls.ts";
import { type CallsTable, readRows, type Tables } from "./tables.ts";
import type { GroupWriter } from "./writing/group-writer.ts";
import { inSavepoint } from "./writing/in-transaction.ts";
import type { MemberRows } from "./writing/members.ts";

export interface CallLogDeps extends MemberDeps {
  readonly file: string;
  readonly members: MemberRows;
  readonly chain: CallChain;
}

/** Checked in about a tenth of a second. */
const MAX_CHECKED_BYTES = 64 * 1024 ** 2;

const OPEN_CALLS_OF_OWNER = "SELECT seq FROM calls WHERE status IN ('pending', 'running') AND owner = ?";

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

/** Owners of open calls that have no row in `members`. */
const OWNERS_WITHOUT_MEMBER = `
  SELECT DISTINCT owner FROM calls
  WHERE status IN ('pending', 'running') AND owner != ? AND owner NOT IN (SELECT id FROM members)`;

export function createCallLog(
  database: DatabaseSyncInstance,
  calls: CallWriter,
  writer: GroupWriter,
  { file, members, chain, member, processes, now }: CallLogDeps,
): CallLog {
  let hasRecovered = false;

  return {
    save: (record, memo) => calls.save(record, memo),
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
    newestBefore: async (time) => newestBefore(database, time),
    prune: (rule) => pruneCalls(database, writer, chain, rule),
    async recover() {
      // Checked outside the transaction first: if no owner died, the write lock is not taken and nothing is committed.
      const isStarting = !hasRecovered;
      hasRecovered = true;
      if (members.gone().length + deadOwnersWithoutMember().length === 0) return 0;
      if (isStarting) checkAfterUncleanEnd();
      let ended: readonly number[] = [];
      await writer.write(() => {
        inSavepoint(database, () => {
          ended = endCallsOfDeadOwners();
        });
        for (const seq of ended) chain.endedRow(seq);
      });
      return ended.length;
    },
  };

  /**
   * A process died, perhaps with the whole system. Only for when this process starts: later it would block the event
   * loop. Larger files would take too long; `tacklebox doctor` looks at those.
   */
  function checkAfterUncleanEnd(): void {
    if (sizeOfDatabase(database) <= MAX_CHECKED_BYTES) quickCheck(database, file);
  }

  function endCallsOfDeadOwners(): readonly number[] {
    const openCalls = database.prepare(OPEN_CALLS_OF_OWNER);
    const endCalls = database.prepare(END_CALLS_OF_OWNER);
    const completedAt = new Date(now()).toISOString();
    const gone = members.gone().map(({ id }) => id);
    const dead = [...gone, ...deadOwnersWithoutMember()];
    for (const id of gone) members.remove(id);
    return dead.flatMap((owner) => {
      const calls: readonly { readonly seq: number }[] = openCalls.all(owner);
      endCalls.run(completedAt, owner);
      return calls.map(({ seq }) => seq);
    });
  }

  function deadOwnersWithoutMember(): readonly string[] {
    const owners: readonly Pick<CallsTable, "owner">[] = database.prepare(OWNERS_WITHOUT_MEMBER).all(member.id);
    return owners.flatMap(({ owner }) => (processes.isOwnerAlive(owner) ? [] : [owner]));
  }
}

function selectCalls(queries: Kysely<Tables>, isOpen: RawBuilder<boolean>, query: CallQuery) {
  const limit = toLimit(query.limit);
  let select = queries.selectFrom("calls").selectAll().orderBy("seq", "desc").limit(limit);
  if (query.server !== undefined) select = select.where("server", "=", query.server);
  if (query.toolName !== undefined) select = select.where("tool_name", "=", query.toolName);
  if (query.status !== undefined) select = select.where("status", "=", query.status);
  if (query.idPrefix !== undefined)
    select = select.where("id", ">=", query.idPrefix).where("id", "<", endOfPrefix(query.idPrefix));
  // For an unknown call the subquery is NULL, so nothing is listed.
  if (query.after !== undefined)
    select = select.where("seq", "<", queries.selectFrom("calls").select("seq").where("id", "=", query.after));
  if (query.status === "pending" || query.status === "running") select = select.where(isOpen);
  return select.compile();
}
