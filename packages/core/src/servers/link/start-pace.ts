import type { Clock } from "../../ports/clock.ts";

/** How often one server may be started by itself. A person who asks is not bound by it. */
export interface StartPace {
  /** How long nothing may be started; 0 when it may be now. */
  waitMs(): number;
  started(): void;
  /** It went down, or did not come up. */
  failed(): void;
  /** It stayed up long enough to count as well again. */
  recovered(): void;
}

const WINDOW_MS = 60_000;
const MOST_STARTS = 5;
const MOST_FAILURES = 5;

/**
 * At most 5 starts in any minute. After 5 failures within a minute the circuit opens: one try per minute, until the
 * server has been well for a while. Without it a crashing server would be restarted for ever at full speed.
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
      const oldest = fullSince(starts, MOST_STARTS);
      return Math.max(0, closedUntil - now, oldest === undefined ? 0 : oldest + WINDOW_MS - now);
    },
    started: () => remember(starts, MOST_STARTS),
    failed() {
      remember(failures, MOST_FAILURES);
      const now = clock.monotonic();
      const oldest = fullSince(failures, MOST_FAILURES);
      tripped ||= oldest !== undefined && now - oldest < WINDOW_MS;
      if (tripped) closedUntil = now + WINDOW_MS;
    },
    recovered() {
      failures.length = 0;
      tripped = false;
    },
  };
}
