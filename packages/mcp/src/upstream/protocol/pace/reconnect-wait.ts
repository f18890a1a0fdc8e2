const MIN_MS = 1000;
const MAX_MS = 60_000;
const GROWTH = 1.5;
/** Keeps the clients of a restarting server from all reconnecting at the same moment. */
const JITTER = 0.1;

/** A stream that lived this long was healthy: the failure count starts over when it ends. */
export const HEALTHY_STREAM_MS = 60_000;

export interface ReconnectWait {
  /** The wait the server asked for (SSE `retry`); may be any number, however absurd. */
  readonly askedMs?: number | undefined;
  /** How many streams in a row ended early or could not be opened before this one. */
  readonly failures: number;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * How long to wait before reopening a stream: at least what the server asked for, longer with every failure, and always
 * between 1 s and 60 s.
 */
export function reconnectWaitMs({ askedMs = 0, failures, random }: ReconnectWait): number {
  const grown = Math.min(MIN_MS * GROWTH ** failures, MAX_MS / (1 + JITTER));
  const wanted = Math.max(askedMs, grown, MIN_MS);
  return Math.min(wanted * (1 + JITTER * random), MAX_MS);
}
