import type { Clock } from "../ports/clock.ts";

export interface ManualClock extends Clock {
  /** Advances the time and runs the timers that became due, in order. */
  advance(ms: number): void;
  /** Sets the wall clock ahead, or back if negative. No time passes. */
  shift(ms: number): void;
  /** The number of pending timers, without those in the background. */
  pending(): number;
  pendingInBackground(): number;
}

interface Timer {
  readonly due: number;
  readonly task: () => void;
  readonly isBackground: boolean;
}

/** A clock that advances only when a test says so. */
export function createManualClock(startAt = Date.parse("2026-01-01T00:00:00.000Z")): ManualClock {
  let elapsed = 0;
  let shifted = 0;
  const timers = new Set<Timer>();
  const count = (isBackground: boolean) => [...timers].filter((timer) => timer.isBackground === isBackground).length;

  function add(timer: Timer): () => void {
    timers.add(timer);
    return () => timers.delete(timer);
  }

  return {
    now: () => startAt + elapsed + shifted,
    monotonic: () => elapsed,
    random: () => 0.5,
    after: (ms, task) => add({ due: elapsed + ms, task, isBackground: false }),
    inBackground: (ms, task) => add({ due: elapsed + ms, task, isBackground: true }),
    advance(ms) {
      const until = elapsed + ms;
      for (;;) {
        const [next] = [...timers].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due);
        if (next === undefined) break;
        timers.delete(next);
        elapsed = next.due;
        next.task();
      }
      elapsed = until;
    },
    shift(ms) {
      shifted += ms;
    },
    pending: () => count(false),
    pendingInBackground: () => count(true),
  };
}
