import { hash } from "node:crypto";
import type { CallRow, EndOfCall, StartOfCall } from "../../rows/call-row.ts";

/** A call as the log holds it. */
export interface LoggedCall extends CallRow {
  readonly seq: number;
}

const START_COLUMNS = [
  "id",
  "scope",
  "server",
  "tool_name",
  "shown_name",
  "arguments",
  "decision",
  "started_at",
  "caller",
  "owner",
] as const satisfies readonly (keyof StartOfCall)[];

/** A new column goes to the end of this list, so that the digests of older rows, where it is NULL, stay the same. */
const END_COLUMNS = [
  "status",
  "ending",
  "error",
  "result",
  "completed_at",
  "person_ms",
  "slot_ms",
  "run_ms",
  "sent",
  "late_answer_at",
] as const satisfies readonly (keyof EndOfRow)[];

type EndOfRow = EndOfCall & Partial<Pick<CallRow, "late_answer_at">>;

/** The compiler's proof that no column is left out. */
type Covered = (typeof START_COLUMNS)[number] | (typeof END_COLUMNS)[number];
true satisfies Exclude<keyof CallRow, Covered> extends never ? true : never;

export function digestRow(row: LoggedCall): string {
  return digestCall(row.seq, row, row);
}

/**
 * Hashes every column of a row, and its place in the log. The text names the columns that are not NULL, as bits of a
 * number, and then their values, separated by NUL, which no value contains: no two rows have the same text.
 */
export function digestCall(seq: number, start: StartOfCall, end: EndOfRow): string {
  const values: (string | number)[] = [seq];
  let present = 0;
  let bit = 1;
  for (const column of START_COLUMNS) {
    const value = start[column];
    if (value !== null) {
      present |= bit;
      values.push(untilNul(value));
    }
    bit <<= 1;
  }
  for (const column of END_COLUMNS) {
    const value = end[column];
    if (value !== null && value !== undefined) {
      present |= bit;
      values.push(typeof value === "string" ? untilNul(value) : value);
    }
    bit <<= 1;
  }
  values.push(present);
  return hash("sha256", values.join("\0"), "base64url");
}

/** What SQLite stores of a text. */
function untilNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}
