import type { CallTimes } from "@tacklebox/core";

/** A wait shorter than this is not worth a word. */
const MIN_WAIT_MS = 100;

/**
 * How long a call ran, and apart from that how long it waited, such as `0.2 s, after 11.6 s waiting for you`. A
 * call that failed may not have been sent to its server at all.
 */
export function formatCallTimes({ personMs, slotMs, runMs }: CallTimes, sent = true): string {
  const waits = [describeWait(personMs, "you"), describeWait(slotMs, "a slot")].filter((wait) => wait !== "");
  const after = waits.length === 0 ? "" : `after ${waits.join(" and ")}`;
  if (!sent) return after === "" ? formatDuration(0) : after;
  return after === "" ? formatDuration(runMs) : `${formatDuration(runMs)}, ${after}`;
}

export function formatDuration(ms: number): string {
  return ms < 100 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function describeWait(ms: number, what: string): string {
  return ms < MIN_WAIT_MS ? "" : `${formatDuration(ms)} waiting for ${what}`;
}
