import { Caller, CallRecord, type CallStatus, CallTimes, Ending, type Schema, ToolResult } from "@tacklebox/core";
import { damagedRow, type RowLocation } from "./damaged-row.ts";
import { parseStored, parseStoredText } from "./parse-stored.ts";

/** A call as a table row: one column per member, JSON as text. */
export interface CallRow {
  readonly id: string;
  readonly scope: string;
  readonly server: string;
  readonly tool_name: string;
  readonly shown_name: string;
  readonly arguments: string;
  readonly status: CallStatus;
  readonly ending: string | null;
  readonly error: string | null;
  readonly result: string | null;
  readonly decision: string | null;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly owner: string;
  readonly late_answer_at: string | null;
  readonly caller: string | null;
  readonly person_ms: number | null;
  readonly slot_ms: number | null;
  readonly run_ms: number | null;
  readonly sent: number | null;
}

/** The columns that a save writes. */
export type SavedRow = Omit<CallRow, "late_answer_at">;

export function toCallRow(record: CallRecord): SavedRow {
  return { ...toStartOfCall(record), ...toEndOfCall(record) };
}

/** The columns that are known when a call starts. */
export type StartOfCall = Omit<SavedRow, keyof EndOfCall>;

export function toStartOfCall(record: CallRecord): StartOfCall {
  return {
    id: record.id,
    scope: record.scope,
    server: record.server,
    tool_name: record.toolName,
    shown_name: record.shownName,
    arguments: JSON.stringify(record.arguments),
    decision: toText(record.decision),
    started_at: record.startedAt,
    caller: toCallerText(record.caller),
    owner: record.owner,
  };
}

/** The columns that change when a call ends. */
export type EndOfCall = Pick<
  CallRow,
  "status" | "ending" | "error" | "result" | "completed_at" | "person_ms" | "slot_ms" | "run_ms" | "sent"
>;

export function toEndOfCall(record: CallRecord): EndOfCall {
  const { times } = record;
  return {
    status: record.status,
    ending: record.ending ?? null,
    error: toText(record.error),
    result: record.result === undefined ? null : JSON.stringify(record.result),
    completed_at: record.completedAt ?? null,
    // Rounded, because the columns accept only integers and saving must not fail over a fraction.
    person_ms: times === undefined ? null : Math.round(times.personMs),
    slot_ms: times === undefined ? null : Math.round(times.slotMs),
    run_ms: times === undefined ? null : Math.round(times.runMs),
    sent: record.sent === undefined ? null : Number(record.sent),
  };
}

/** Throws StoreError `damaged-row` if a column holds an invalid value. */
export function fromCallRow(row: CallRow): CallRecord {
  return {
    id: row.id,
    scope: row.scope,
    server: row.server,
    toolName: row.tool_name,
    shownName: row.shown_name,
    arguments: readJson(CallRecord.shape.arguments, row, "arguments", row.arguments),
    status: row.status,
    ...(row.ending !== null && { ending: read(Ending, row, "ending") }),
    ...(row.error !== null && { error: row.error }),
    ...(row.result !== null && { result: readJson(ToolResult, row, "result", row.result) }),
    ...(row.decision !== null && { decision: row.decision }),
    startedAt: row.started_at,
    ...(row.completed_at !== null && { completedAt: row.completed_at }),
    ...(row.late_answer_at !== null && { lateAnswerAt: row.late_answer_at }),
    ...(row.caller !== null && { caller: readJson(Caller, row, "caller", row.caller) }),
    ...readTimes(row),
    ...(row.sent !== null && { sent: readSent(row, row.sent) }),
    owner: row.owner,
  };
}

// Databases cut a text at its first NUL or refuse it, which would lose part or all of a server's message.
function toText(text: string | undefined): string | null {
  return text?.replaceAll("\0", "\uFFFD") ?? null;
}

/** Many calls share the same few immutable callers, so each is serialized once. */
const callerTexts = new WeakMap<Caller, string>();

function toCallerText(caller: Caller | undefined): string | null {
  if (caller === undefined) return null;
  const known = callerTexts.get(caller);
  if (known !== undefined) return known;
  const text = JSON.stringify(caller);
  callerTexts.set(caller, text);
  return text;
}

/** A row has all three times or none. */
function readTimes(row: CallRow): { readonly times?: CallTimes } {
  if (row.person_ms === null && row.slot_ms === null && row.run_ms === null) return {};
  const { personMs, slotMs, runMs } = CallTimes.shape;
  return {
    times: {
      personMs: read(personMs, row, "person_ms"),
      slotMs: read(slotMs, row, "slot_ms"),
      runMs: read(runMs, row, "run_ms"),
    },
  };
}

function readSent(row: CallRow, value: number): boolean {
  if (value !== 0 && value !== 1) throw damagedRow(locate(row, "sent"));
  return value === 1;
}

function read<T>(schema: Schema<T>, row: CallRow, column: keyof CallRow): T {
  return parseStored(schema, row[column], () => locate(row, column));
}

function readJson<T>(schema: Schema<T>, row: CallRow, column: keyof CallRow, text: string): T {
  return parseStoredText(schema, text, () => locate(row, column));
}

function locate({ id }: CallRow, column: keyof CallRow): RowLocation {
  return { what: `The call "${id}"`, table: "calls", column };
}
