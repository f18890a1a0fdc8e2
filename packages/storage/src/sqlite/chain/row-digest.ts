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
 * contains, and the last one says which of them are NULL, so no two rows have the same text. Written out because every
 * call pays for it: a loop over the columns takes half as long again.
 *
 * A column that a later version adds goes to the end as `\0NAME=VALUE`, and leaves no trace where it is NULL: then the
 * digests of older rows stay the same.
 */
export function digestCall(seq: number, start: StartOfCall, end: EndOfRow): string {
  const { status, ending, error, result, completed_at, person_ms, slot_ms, run_ms, sent, late_answer_at } = end;
  const texts = bit(ending, 0) | bit(error, 1) | bit(result, 2) | bit(completed_at, 3);
  const numbers = bit(person_ms, 4) | bit(slot_ms, 5) | bit(run_ms, 6) | bit(sent, 7) | bit(late_answer_at, 8);
  // Joining makes one text; adding would make one for every part.
  const row = [
    seq,
    untilNul(start.id),
    repeatedColumns(start),
    start.arguments,
    start.started_at,
    status,
    ending,
    error,
    result,
    completed_at,
    person_ms,
    slot_ms,
    run_ms,
    sent,
    late_answer_at,
    texts | numbers,
  ];
  return hash("sha256", row.join("\0"), "base64url");
}

/** The columns in which one call is mostly like the one before; joined again only if one of them differs. */
function repeatedColumns({ scope, server, tool_name, shown_name, decision, caller, owner }: StartOfCall): string {
  if (
    last !== undefined &&
    last.tool_name === tool_name &&
    last.decision === decision &&
    last.caller === caller &&
    last.owner === owner &&
    last.server === server &&
    last.scope === scope &&
    last.shown_name === shown_name
  )
    return last.text;
  const names = [scope, server, tool_name, shown_name, owner].map(untilNul).join("\0");
  const text = `${names}\0${decision ?? ""}\0${caller ?? ""}\0${bit(decision, 0) | bit(caller, 1)}`;
  last = { scope, server, tool_name, shown_name, decision, caller, owner, text };
  return text;
}

type RepeatedColumn = "scope" | "server" | "tool_name" | "shown_name" | "decision" | "caller" | "owner";
let last: (Pick<StartOfCall, RepeatedColumn> & { readonly text: string }) | undefined;

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

/** Tells NULL, which is joined as nothing, from an empty text. */
function bit(value: string | number | null | undefined, place: number): number {
  return value === null || value === undefined ? 1 << place : 0;
}

/** What SQLite stores of a text. The other columns are JSON, or had every NUL replaced. */
function untilNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}
