import { FreeList } from "../async/free-list.ts";
import type { Clock } from "../ports/clock.ts";

interface Deadline {
  readonly at: number;
  readonly task: () => void;
  /** Its slot in the list; undefined once it has run or was cancelled. */
  slot: number | undefined;
}

/**
 * A clock that serves all its deadlines with one timer: every call has a time limit, almost none reaches it, and a timer
 * for each call would cost more than all other bookkeeping for the limit.
 */
export function withSharedTimer(clock: Clock): Clock {
  const deadlines = new FreeList<Deadline>();
  let waiting = 0;
  /** When the timer fires; infinite while none is set. */
  let firesAt = Number.POSITIVE_INFINITY;
  let cancelTimer = () => {};

  function fireAt(at: number): void {
    if (at >= firesAt) return;
    cancelTimer();
    firesAt = at;
    cancelTimer = clock.after(Math.max(0, at - clock.monotonic()), fire);
  }

  function stopTimer(): void {
    cancelTimer();
    cancelTimer = () => {};
    firesAt = Number.POSITIVE_INFINITY;
  }

  function fire(): void {
    firesAt = Number.POSITIVE_INFINITY;
    const now = clock.monotonic();
    const due = deadlines.values().filter(({ at }) => at <= now);
    try {
      // A task may cancel another that is due at the same time; that one must not run.
      for (const deadline of due.sort((one, other) => one.at - other.at)) if (leave(deadline)) deadline.task();
    } finally {
      for (const { at } of deadlines.values()) fireAt(at);
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
    inBackground: (ms, task) => clock.inBackground(ms, task),
    after(ms, task) {
      const at = clock.monotonic() + ms;
      const deadline: Deadline = { at, task, slot: undefined };
      deadline.slot = deadlines.add(deadline);
      waiting += 1;
      fireAt(at);
      return () => {
        if (leave(deadline) && waiting === 0) stopTimer();
      };
    },
  };
}
