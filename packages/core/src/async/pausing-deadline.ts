interface Timer {
  monotonic(): number;
  after(ms: number, task: () => void): () => void;
}

/**
 * Ends something after `ms` of its own time; the returned function withdraws that. `pausedMs` is how long it was kept
 * waiting by others, all in all: a server that waits for its person is not slow.
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
    if (leftMs > 0) withdraw = timer.after(leftMs, endOrWait);
    else end();
  };
  let withdraw = timer.after(ms, endOrWait);
  return () => withdraw();
}
