import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { CallMemo, CallRecord } from "@tacklebox/core";
import {
  type EndOfCall,
  type SavedRow,
  type StartOfCall,
  toCallRow,
  toEndOfCall,
  toStartOfCall,
} from "../rows/call-row.ts";
import type { CallChain } from "./chain/call-chain.ts";
import { digestCall } from "./chain/row-digest.ts";
import { RESULT_CODE, resultCode } from "./store-error.ts";
import type { GroupWriter } from "./writing/group-writer.ts";

interface ChangedRow {
  readonly seq: number;
}

/** What a memo holds: a running call's end finds its row at once, and its digest needs no second serialization. */
class SavedCall {
  readonly record: CallRecord;
  /** Set while the call is running. */
  readonly start: StartOfCall | undefined;
  /** Its row; undefined until it is written as running. */
  seq: number | undefined;

  constructor(record: CallRecord, start?: StartOfCall) {
    this.record = record;
    this.start = start;
    this.seq = undefined;
  }
}

export interface CallWriter {
  /** Resolves after the commit. `memo`: see CallLog. */
  save(record: CallRecord, memo?: CallMemo): Promise<void>;
  noteLateAnswer(id: string, at: string): Promise<void>;
}

const SAVE_CALL = `
  INSERT INTO calls (id, scope, server, tool_name, shown_name, arguments, status, ending, error, result, decision,
                     started_at, completed_at, owner, caller, person_ms, slot_ms, run_ms, sent)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET
    scope = excluded.scope, server = excluded.server, tool_name = excluded.tool_name,
    shown_name = excluded.shown_name, arguments = excluded.arguments, status = excluded.status,
    ending = excluded.ending, error = excluded.error, result = excluded.result, decision = excluded.decision,
    started_at = excluded.started_at, completed_at = excluded.completed_at, owner = excluded.owner,
    caller = excluded.caller, person_ms = excluded.person_ms, slot_ms = excluded.slot_ms, run_ms = excluded.run_ms,
    sent = excluded.sent
  WHERE status IN ('pending', 'running')
  RETURNING seq`;

/** Most saves are one of two, a call starting or succeeding. Their constant columns need no parameters. */
const INSERT_RUNNING = `
  INSERT INTO calls (id, scope, server, tool_name, shown_name, arguments, status, decision, started_at, owner,
                     caller)
  VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)`;

const BEGIN_CALL = `
  ${INSERT_RUNNING}
  ON CONFLICT (id) DO UPDATE SET
    scope = excluded.scope, server = excluded.server, tool_name = excluded.tool_name,
    shown_name = excluded.shown_name, arguments = excluded.arguments, status = excluded.status,
    decision = excluded.decision, started_at = excluded.started_at, owner = excluded.owner, caller = excluded.caller
  WHERE status IN ('pending', 'running')
  RETURNING seq`;

const SUCCEED_CALL = `
  UPDATE calls SET status = 'success', result = ?, completed_at = ?, person_ms = ?, slot_ms = ?, run_ms = ?
  WHERE seq = ? AND id = ? AND status IN ('pending', 'running')`;

const END_CALL = `
  UPDATE calls SET status = ?, ending = ?, error = ?, result = ?, completed_at = ?,
                   person_ms = ?, slot_ms = ?, run_ms = ?, sent = ?
  WHERE seq = ? AND id = ? AND status IN ('pending', 'running')`;

const NOTE_LATE_ANSWER = `
  UPDATE calls SET late_answer_at = ? WHERE id = ? AND status = 'error'`;

/** For smaller groups, a second commit costs more time than the servers could use meanwhile. */
const MIN_SPLIT_SIZE = 32;
const MIN_STARTING_SHARE = 0.75;

export function createCallWriter(database: DatabaseSyncInstance, writer: GroupWriter, chain: CallChain): CallWriter {
  const saveCall = database.prepare(SAVE_CALL);
  const insertRunning = database.prepare(INSERT_RUNNING);
  const beginCall = database.prepare(BEGIN_CALL);
  const succeedCall = database.prepare(SUCCEED_CALL);
  const endCall = database.prepare(END_CALL);
  /**
   * Calls that are running as far as this log knows. If there are others, waiting to share a commit with them pays off.
   */
  let running = 0;
  /** Running calls whose start is not written yet, so that they were not sent to their servers. */
  let starting = 0;
  /** The row of the next call that begins in this transaction; undefined if SQLite has to tell. */
  let nextSeq: number | undefined;
  let transaction = 0;
  // If nearly all callers wait for the same commit and then for their servers, disk and servers take turns being idle.
  // Writing half of the group first puts them out of step, so that groups soon hold as many ends as starts.
  writer.splitWhen((size) => size >= MIN_SPLIT_SIZE && starting >= MIN_STARTING_SHARE * Math.max(size, running));

  return {
    save(record, memo) {
      const before = memo?.kept instanceof SavedCall ? memo.kept : undefined;
      if (before?.start !== undefined) running -= 1;
      if (record.status !== "running") {
        if (memo !== undefined) memo.kept = record.status === "pending" ? new SavedCall(record) : undefined;
        return writer.write(toWrite(record, before), running > 1 ? "turns" : "tick");
      }
      const start = toStartOfCall(record);
      const call = new SavedCall(record, start);
      if (memo !== undefined) memo.kept = call;
      const wait = running > 1 ? "turns" : "tick";
      running += 1;
      starting += 1;
      const work = () => begin(call, start, before === undefined);
      return writer.write(work, wait, (isWritten) => {
        starting -= 1;
        if (isWritten) return;
        running -= 1;
        if (memo !== undefined) memo.kept = undefined;
      });
    },
    noteLateAnswer(id, at) {
      const note = () => {
        if (database.prepare(NOTE_LATE_ANSWER).run(at, id).changes > 0) chain.answeredLate(id);
      };
      return writer.write(note, "tick");
    },
  };

  /** Serializes the record now, because the caller may change it before the commit. */
  function toWrite(record: CallRecord, before: SavedCall | undefined): () => void {
    const start = before?.start;
    if (before === undefined || start === undefined || !isEndOf(record, before.record)) {
      const row = toCallRow(record);
      return () => upsert(row);
    }
    const ended = toEndOfCall(record);
    return () => {
      // If no row changed, the call has already ended or its row is gone; the full statement handles both cases.
      if (!end(before.seq, start, ended)) upsert({ ...start, ...ended });
    };
  }

  function end(seq: number | undefined, start: StartOfCall, ended: EndOfCall): boolean {
    if (seq === undefined) return false;
    const { status, ending, error, result, completed_at, person_ms, slot_ms, run_ms, sent } = ended;
    const isPlain = status === "success" && ending === null && error === null && sent === null;
    const { changes } = isPlain
      ? succeedCall.run(result, completed_at, person_ms, slot_ms, run_ms, seq, start.id)
      : endCall.run(status, ending, error, result, completed_at, person_ms, slot_ms, run_ms, sent, seq, start.id);
    if (changes === 0) return false;
    chain.ended(start.id, digestCall(seq, start, ended));
    return true;
  }

  function begin(call: SavedCall, start: StartOfCall, isFirst: boolean): void {
    const { id, scope, server, tool_name, shown_name, decision, started_at, owner, caller } = start;
    const given = start.arguments;
    const values = [id, scope, server, tool_name, shown_name, given, decision, started_at, owner, caller] as const;
    if (isFirst) {
      try {
        call.seq = insert(values);
        return;
      } catch (error) {
        // Saved before, though not as far as the caller knew.
        if (resultCode(error) !== RESULT_CODE.constraint) throw error;
      }
    }
    nextSeq = undefined;
    const changed: ChangedRow | undefined = beginCall.get(...values);
    call.seq = changed?.seq;
  }

  /**
   * Returns the number of the new row. SQLite is asked for it once per transaction, since asking takes a tenth of the
   * insert, and rows that follow each other have numbers that do. Should another statement come between them, the call's
   * end does not find its row under the number, and goes by its id.
   */
  function insert(values: readonly (string | null)[]): number {
    if (transaction !== chain.transaction()) nextSeq = undefined;
    transaction = chain.transaction();
    const known = nextSeq;
    if (known === undefined) {
      const seq = Number(insertRunning.run(...values).lastInsertRowid);
      nextSeq = seq + 1;
      return seq;
    }
    insertRunning.get(...values);
    nextSeq = known + 1;
    return known;
  }

  function upsert(row: SavedRow): void {
    nextSeq = undefined;
    const changed: ChangedRow | undefined = saveCall.get(...valuesOf(row));
    if (changed !== undefined && (row.status === "success" || row.status === "error"))
      chain.ended(row.id, digestCall(changed.seq, row, row));
  }
}

/** In the order of SAVE_CALL. */
function valuesOf(row: SavedRow): readonly (string | number | null)[] {
  return [
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
    row.caller,
    row.person_ms,
    row.slot_ms,
    row.run_ms,
    row.sent,
  ];
}

/** Whether a record only adds the end of a call and leaves everything else as it was saved. */
function isEndOf(record: CallRecord, known: CallRecord): boolean {
  return (
    known.status === "running" &&
    (record.status === "success" || record.status === "error") &&
    record.arguments === known.arguments &&
    record.decision === known.decision &&
    record.startedAt === known.startedAt &&
    record.owner === known.owner &&
    record.caller === known.caller &&
    record.scope === known.scope &&
    record.server === known.server &&
    record.toolName === known.toolName &&
    record.shownName === known.shownName
  );
}
