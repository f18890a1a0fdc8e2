import type { Clock } from "../../ports/clock.ts";

/** Limits how often a server is started automatically. A person's request to connect is not limited. */
export interface StartPace {
  /** How long to wait before the next start; 0 if the server may be started now. */
  waitMs(): number;
  started(): void;
  /** The server went down, or did not come up. */
  failed(): void;
  /** The server stayed up long enough to count as healthy again. */
  recovered(): void;
}

const WINDOW_MS = 60_000;
const MAX_STARTS = 5;
const MAX_FAILURES = 5;

/**
 * Allows at most 5 starts in any minute. After 5 failures within a minute the circuit opens: one try per minute, until
 * the server has been healthy for a while. Without it, a crashing server would be restarted at full speed forever.
 */
export function createStartPace(clock: Clock): StartPace {
  const starts: number[] = [];
  const failures: number[] = [];
  let tripped = false;
  let closedUntil = 0;

  const remember = (times: number[], most: number) => {
    times.push(clock.monotonic());
    if (times.length > most) times.shift();
  };
  const fullSince = (times: readonly number[], most: number) => (times.length < most ? undefined : times[0]);

  return {
    waitMs() {
      const now = clock.monotonic();
      const oldest = fullSince(starts, MAX_STARTS);
      return Math.max(0, closedUntil - now, oldest === undefined ? 0 : oldest + WINDOW_MS - now);
    },
    started: () => remember(starts, MAX_STARTS),
    failed() {
      remember(failures, MAX_FAILURES);
      const now = clock.monotonic();
      const oldest = fullSince(failures, MAX_FAILURES);
      tripped ||= oldest !== undefined && now - oldest < WINDOW_MS;
      if (tripped) closedUntil = now + WINDOW_MS;
    },
    recovered() {
      failures.length = 0;
      tripped = false;
    },
  };
}
