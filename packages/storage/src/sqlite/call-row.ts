import {
  type Caller,
  type CallRecord,
  type CallTimes,
  type ContentBlock,
  ENDINGS,
  type Ending,
  isJsonObject,
  type JsonObject,
  StoreError,
  type ToolResult,
} from "@tacklebox/core";
import type { Selectable } from "kysely";
import { toCaller, toCallerText } from "./caller-column.ts";
import type { CallsTable } from "./tables.ts";

export type CallRow = Omit<Selectable<CallsTable>, "seq">;
/** What a save writes. */
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
    // Whole milliseconds: the columns take nothing else, and a call must not fail for a fraction of one.
    person_ms: times === undefined ? null : Math.round(times.personMs),
    slot_ms: times === undefined ? null : Math.round(times.slotMs),
    run_ms: times === undefined ? null : Math.round(times.runMs),
    sent: record.sent === undefined ? null : Number(record.sent),
  };
}

/** Throws StoreError `damaged-row` when a column does not hold what it should. */
export function fromCallRow(row: CallRow): CallRecord {
  return {
    id: row.id,
    scope: row.scope,
    server: row.server,
    toolName: row.tool_name,
    shownName: row.shown_name,
    arguments: parseArguments(row),
    status: row.status,
    ...(row.ending !== null && { ending: parseEnding(row, row.ending) }),
    ...(row.error !== null && { error: row.error }),
    ...(row.result !== null && { result: parseResult(row, row.result) }),
    ...(row.decision !== null && { decision: row.decision }),
    startedAt: row.started_at,
    ...(row.completed_at !== null && { completedAt: row.completed_at }),
    ...(row.late_answer_at !== null && { lateAnswerAt: row.late_answer_at }),
    ...(row.caller !== null && { caller: parseCaller(row, row.caller) }),
    ...parseTimes(row),
    ...(row.sent !== null && { sent: parseSent(row, row.sent) }),
    owner: row.owner,
  };
}

// SQLite ends a text at its first NUL when it is read, which would silently lose the rest of a server's message.
function toText(text: string | undefined): string | null {
  return text?.replaceAll("\0", "\uFFFD") ?? null;
}

function parseArguments(row: CallRow): JsonObject {
  const value = parseJson(row, "arguments", row.arguments);
  if (!isJsonObject(value)) throw damaged(row, "arguments");
  return value;
}

function parseEnding(row: CallRow, text: string): Ending {
  const ending = ENDINGS.find((known) => known === text);
  if (ending === undefined) throw damaged(row, "ending");
  return ending;
}

function parseResult(row: CallRow, text: string): ToolResult {
  const value = parseJson(row, "result", text);
  if (!isJsonObject(value)) throw damaged(row, "result");
  const { content, structuredContent, isError, meta } = value;
  if (!Array.isArray(content) || !content.every(isContentBlock) || typeof isError !== "boolean") {
    throw damaged(row, "result");
  }
  if (meta !== undefined && !isJsonObject(meta)) throw damaged(row, "result");
  return {
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    isError,
    ...(meta !== undefined && { meta }),
  };
}

function parseCaller(row: CallRow, text: string): Caller {
  const caller = toCaller(parseJson(row, "caller", text));
  if (caller === undefined) throw damaged(row, "caller");
  return caller;
}

/** All three or none. */
function parseTimes(row: CallRow): { readonly times?: CallTimes } {
  const { person_ms: personMs, slot_ms: slotMs, run_ms: runMs } = row;
  if (personMs === null && slotMs === null && runMs === null) return {};
  if (personMs === null) throw damaged(row, "person_ms");
  if (slotMs === null) throw damaged(row, "slot_ms");
  if (runMs === null) throw damaged(row, "run_ms");
  return { times: { personMs, slotMs, runMs } };
}

function parseSent(row: CallRow, value: number): boolean {
  if (value !== 0 && value !== 1) throw damaged(row, "sent");
  return value === 1;
}

function isContentBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value.type === "string";
}

function parseJson(row: CallRow, column: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(row, column, error);
  }
}

function damaged(row: CallRow, column: string, cause?: unknown): StoreError {
  return new StoreError(
    "damaged-row",
    `The call "${row.id}" cannot be read: the column ${column} of its row is damaged. ` +
      `Restore the file from a copy, or remove that row from the table calls.`,
    cause,
  );
}
