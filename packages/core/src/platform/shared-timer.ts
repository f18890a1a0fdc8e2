import { FreeList } from "../async/free-list.ts";
import type { Clock } from "../ports/clock.ts";

interface Deadline {
  readonly at: number;
  readonly task: () => void;
  /** The number of its slot; undefined once it was done or withdrawn. */
  slot: number | undefined;
}

/**
 * The same clock with one timer for all that is to be done after a while: every call has a time limit, nearly none reaches it,
 * and a timer of its own for each costs more than the rest of keeping it.
 */
export function withSharedTimer(clock: Clock): Clock {
  const deadlines = new FreeList<Deadline>();
  let waiting = 0;
  /** When the timer rings; for ever while there is none. */
  let ringsAt = Number.POSITIVE_INFINITY;
  let cancelTimer = () => {};

  function ringAt(at: number): void {
    if (at >= ringsAt) return;
    cancelTimer();
    ringsAt = at;
    cancelTimer = clock.after(Math.max(0, at - clock.monotonic()), ring);
  }

  function stopTimer(): void {
    cancelTimer();
    cancelTimer = () => {};
    ringsAt = Number.POSITIVE_INFINITY;
  }

  function ring(): void {
    ringsAt = Number.POSITIVE_INFINITY;
    const now = clock.monotonic();
    const due = deadlines.values().filter(({ at }) => at <= now);
    try {
      // What another one's task withdrew while both rang is not done.
      for (const deadline of due.sort((one, other) => one.at - other.at)) if (leave(deadline)) deadline.task();
    } finally {
      for (const { at } of deadlines.values()) ringAt(at);
    }
  }

  function leave(deadline: Deadline): boolean {
    if (deadline.slot === undefined) return false;
    deadlines.free(deadline.slot);
    deadline.slot = undefined;
    waiting -= 1;
    return true;
  }

  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    random: () => clock.random(),
    after(ms, task) {
      const at = clock.monotonic() + ms;
      const deadline: Deadline = { at, task, slot: undefined };
      deadline.slot = deadlines.add(deadline);
      waiting += 1;
      ringAt(at);
      return () => {
        if (leave(deadline) && waiting === 0) stopTimer();
      };
    },
  };
}
