interface Timer {
  monotonic(): number;
  after(ms: number, task: () => void): () => void;
}

/**
 * Calls `end` after `ms` of active time; returns a function that cancels it. `pausedMs` is the total time spent waiting for
 * others, which does not count: a server that waits for a person's answer is not slow.
 */
export function endAfterActiveTime(
  ms: number,
  timer: Timer,
  pausedMs: () => number,
  end: () => void,
  startedAt = timer.monotonic(),
): () => void {
  const pausedBefore = pausedMs();
  const endOrWait = () => {
    const paused = pausedMs() - pausedBefore;
    const leftMs = paused > 0 ? ms - (timer.monotonic() - startedAt - paused) : 0;
    if (leftMs > 0) cancel = timer.after(leftMs, endOrWait);
    else end();
  };
  let cancel = timer.after(ms, endOrWait);
  return () => cancel();
}
