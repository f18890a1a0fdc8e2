import { isDeepStrictEqual } from "node:util";
import type { CallRecord } from "@tacklebox/core";
import { z } from "zod";

/** One line that `call --stdin` printed: a fact that must never be lost from then on. */
export const Acknowledged = z.object({
  id: z.string(),
  call_id: z.string(),
  status: z.enum(["success", "error"]),
  ending: z.string().optional(),
  error: z.string().optional(),
  content: z.array(z.unknown()),
});
export type Acknowledged = z.infer<typeof Acknowledged>;

/**
 * What happened on one data folder over several runs of the program. A call's marker is in its arguments and is its
 * line's id.
 */
export interface History {
  readonly acknowledged: readonly Acknowledged[];
  /** Markers in the order in which the server started the calls. */
  readonly ledger: readonly string[];
  /** The whole call log, after a run that ended normally. */
  readonly records: readonly CallRecord[];
  /** What the chain over the call log showed to be wrong, after any of the runs. */
  readonly chainBreaks: readonly string[];
}

/**
 * Endings allowed for a failed call that was never acknowledged: it ended just before the kill, or recovery ended it.
 */
const UNACKNOWLEDGED_ENDINGS: readonly (string | undefined)[] = ["interrupted", "tool-error", "timed-out"];

/** Describes every breach of the call log's rules; empty when they were kept. */
export function findBreaches({ acknowledged, ledger, records, chainBreaks }: History): readonly string[] {
  const rows = new Map(records.map((record) => [markerOf(record), record]));
  const answered = new Map(acknowledged.map((outcome) => [outcome.id, outcome]));
  const executed = new Set(ledger);
  return [
    ...chainBreaks.map((found) => `the chain is broken: ${found}`),
    ...repeated(ledger).map((marker) => `executed twice: ${marker}`),
    ...repeated(records.map(markerOf)).map((marker) => `recorded twice: ${marker}`),
    ...[...executed].filter((marker) => !rows.has(marker)).map((marker) => `executed without a record: ${marker}`),
    ...acknowledged.flatMap((outcome) => lostFacts(outcome, rows.get(outcome.id))),
    ...records.filter(isOpen).map((record) => `left ${record.status}: ${markerOf(record)}`),
    ...records
      .filter((record) => record.status === "success" && !executed.has(markerOf(record)))
      .map((record) => `recorded as success, never executed: ${markerOf(record)}`),
    ...records
      .filter((record) => record.status === "error" && !answered.has(markerOf(record)))
      .filter(({ ending }) => !UNACKNOWLEDGED_ENDINGS.includes(ending))
      .map((record) => `nobody heard of it, and it ended as ${record.ending}: ${markerOf(record)}`),
  ];
}

function lostFacts(outcome: Acknowledged, record: CallRecord | undefined): readonly string[] {
  if (record === undefined) return [`acknowledged without a record: ${outcome.id}`];
  const reported = {
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
  if (isDeepStrictEqual(reported, kept)) return [];
  return [`acknowledged as ${JSON.stringify(reported)}, recorded as ${JSON.stringify(kept)}`];
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
