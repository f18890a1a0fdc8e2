const SHORTEST_MS = 1000;
const LONGEST_MS = 60_000;
const GROWTH = 1.5;
/** So that the clients of a server that restarts do not all come back in the same moment. */
const JITTER = 0.1;

/** A stream that lived this long was a healthy one: its end starts the count anew. */
export const HEALTHY_STREAM_MS = 60_000;

export interface ReconnectWait {
  /** What the server asked for (SSE `retry`); any number, however absurd. */
  readonly askedMs?: number | undefined;
  /** How many streams in a row ended soon, or could not be opened, before this one. */
  readonly failures: number;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * How long to wait before a stream is opened again: what the server asked for, within 1 s and 60 s,
 * and longer the more often its streams ended.
 */
export function reconnectWaitMs({ askedMs = 0, failures, random }: ReconnectWait): number {
  const grown = Math.min(SHORTEST_MS * GROWTH ** failures, LONGEST_MS / (1 + JITTER));
  const wanted = Math.max(askedMs, grown, SHORTEST_MS);
  return Math.min(wanted * (1 + JITTER * random), LONGEST_MS);
}
