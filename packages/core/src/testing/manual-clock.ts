import type { Clock } from "../ports/clock.ts";

export interface ManualClock extends Clock {
  /** Moves time on and runs whatever became due, in order. */
  advance(ms: number): void;
  /** Timers that wait to run. */
  pending(): number;
}

/** Time that moves only when a test says so. */
export function createManualClock(startAt = Date.parse("2026-01-01T00:00:00.000Z")): ManualClock {
  let elapsed = 0;
  const timers = new Set<{ readonly due: number; readonly task: () => void }>();

  return {
    now: () => startAt + elapsed,
    monotonic: () => elapsed,
    random: () => 0.5,
    after(ms, task) {
      const timer = { due: elapsed + ms, task };
      timers.add(timer);
      return () => timers.delete(timer);
    },
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
    pending: () => timers.size,
  };
}
