import { isDeepStrictEqual } from "node:util";
import type { CallRecord } from "@tacklebox/core";
import { z } from "zod";

/** One line that `call --stdin` answered: a fact that must never be lost from then on. */
export const Acknowledged = z.object({
  id: z.string(),
  call_id: z.string(),
  status: z.enum(["success", "error"]),
  ending: z.string().optional(),
  error: z.string().optional(),
  content: z.array(z.unknown()),
});
export type Acknowledged = z.infer<typeof Acknowledged>;

/** What happened on one data folder over several lives of the program. A call's marker is in its arguments and its id. */
export interface History {
  readonly acknowledged: readonly Acknowledged[];
  /** Markers in the order in which the server began them. */
  readonly ledger: readonly string[];
  /** All of the call log, after a life that ended in peace. */
  readonly records: readonly CallRecord[];
}

/** Endings a call may have that nobody heard of: it ended before the kill, or recovery ended it. */
const UNHEARD_ENDINGS: readonly (string | undefined)[] = ["interrupted", "tool-error", "timed-out"];

/** Every breach of the rules of the call log (security.md 4.4), for people; empty when they were kept. */
export function findBreaches({ acknowledged, ledger, records }: History): readonly string[] {
  const rows = new Map(records.map((record) => [markerOf(record), record]));
  const heard = new Map(acknowledged.map((outcome) => [outcome.id, outcome]));
  const executed = new Set(ledger);
  return [
    ...repeated(ledger).map((marker) => `executed twice: ${marker}`),
    ...repeated(records.map(markerOf)).map((marker) => `recorded twice: ${marker}`),
    ...[...executed].filter((marker) => !rows.has(marker)).map((marker) => `executed without a record: ${marker}`),
    ...acknowledged.flatMap((outcome) => lostFacts(outcome, rows.get(outcome.id))),
    ...records.filter(isOpen).map((record) => `left ${record.status}: ${markerOf(record)}`),
    ...records
      .filter((record) => record.status === "success" && !executed.has(markerOf(record)))
      .map((record) => `recorded as success, never executed: ${markerOf(record)}`),
    ...records
      .filter((record) => record.status === "error" && !heard.has(markerOf(record)))
      .filter(({ ending }) => !UNHEARD_ENDINGS.includes(ending))
      .map((record) => `nobody heard of it, and it ended as ${record.ending}: ${markerOf(record)}`),
  ];
}

function lostFacts(outcome: Acknowledged, record: CallRecord | undefined): readonly string[] {
  if (record === undefined) return [`acknowledged without a record: ${outcome.id}`];
  const told = {
    id: outcome.call_id,
    status: outcome.status,
    ending: outcome.ending,
    error: outcome.error,
    content: outcome.content,
  };
  const kept = {
    id: record.id,
    status: record.status,
    ending: record.ending,
    error: record.error,
    content: record.result?.content ?? [],
  };
  if (isDeepStrictEqual(told, kept)) return [];
  return [`acknowledged as ${JSON.stringify(told)}, recorded as ${JSON.stringify(kept)}`];
}

export function markerOf(record: CallRecord): string {
  const { marker } = record.arguments;
  return typeof marker === "string" ? marker : `no marker in ${record.id}`;
}

function isOpen({ status }: CallRecord): boolean {
  return status === "pending" || status === "running";
}

function repeated(markers: readonly string[]): readonly string[] {
  return [...new Set(markers.filter((marker, index) => markers.indexOf(marker) !== index))];
}
