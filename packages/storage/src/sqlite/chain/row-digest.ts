import { hash } from "node:crypto";
import type { CallRow, EndOfCall, StartOfCall } from "../../rows/call-row.ts";

/** A call as the log holds it. */
export interface LoggedCall extends CallRow {
  readonly seq: number;
}

type EndOfRow = EndOfCall & Partial<Pick<CallRow, "late_answer_at">>;

export function digestRow(row: LoggedCall): string {
  return digestCall(row.seq, row, row);
}

/**
 * Hashes every column of a row, and its place in the log. The values are separated by NUL, which no stored text
 * contains, and one that is not NULL is marked, so no two rows have the same text. Written out because every call pays
 * for it: a loop over the columns takes half as long again.
 *
 * A column that a later version adds goes to the end as `\0NAME=VALUE`, and leaves no trace where it is NULL: then the
 * digests of older rows stay the same.
 */
export function digestCall(seq: number, start: StartOfCall, end: EndOfRow): string {
  const { id, scope, server, tool_name, shown_name, arguments: given, decision, started_at, caller, owner } = start;
  const { status, ending, error, result, completed_at, person_ms, slot_ms, run_ms, sent, late_answer_at } = end;
  const name = `${seq}\0${untilNul(id)}\0${untilNul(scope)}\0${untilNul(server)}\0${untilNul(tool_name)}`;
  const asked = `${untilNul(shown_name)}\0${given}\0${mark(decision)}\0${started_at}\0${mark(caller)}\0${untilNul(owner)}`;
  const ended = `${status}\0${mark(ending)}\0${mark(error)}\0${mark(result)}\0${mark(completed_at)}`;
  const times = `${mark(person_ms)}\0${mark(slot_ms)}\0${mark(run_ms)}\0${mark(sent)}\0${mark(late_answer_at)}`;
  return hash("sha256", `${name}\0${asked}\0${ended}\0${times}`, "base64url");
}

/** The compiler's proof that no column is left out above: add a new one here and there. */
type Digested =
  | (
      | "id"
      | "scope"
      | "server"
      | "tool_name"
      | "shown_name"
      | "arguments"
      | "decision"
      | "started_at"
      | "caller"
      | "owner"
    )
  | ("status" | "ending" | "error" | "result" | "completed_at")
  | ("person_ms" | "slot_ms" | "run_ms" | "sent" | "late_answer_at");
true satisfies Exclude<keyof CallRow, Digested> extends never ? true : never;

/** Tells NULL from an empty text. */
function mark(value: string | number | null | undefined): string {
  return value === null || value === undefined ? "" : `=${value}`;
}

/** What SQLite stores of a text. The other columns are JSON, or had every NUL replaced. */
function untilNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}
