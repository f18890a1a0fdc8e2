import type { Clock } from "../ports/clock.ts";

/** The platform's own clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, task) {
    let isCancelled = false;
    const timer = setTimeout(() => {
      afterWaitingInput(() => {
        if (!isCancelled) task();
      });
    }, ms);
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  },
  inBackground(ms, task) {
    const timer = setTimeout(task, ms);
    letProcessEnd(timer);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/**
 * Runs `task` once the input that has already arrived was handled. Timers run before input is read, so after the process
 * was stopped for a while, or was busy, a deadline would otherwise win against an answer that came in time.
 */
function afterWaitingInput(task: () => void): void {
  const platform: object = globalThis;
  // Node runs immediates right after it has read all waiting input; browsers do not have them.
  if ("setImmediate" in platform && typeof platform.setImmediate === "function") platform.setImmediate(task);
  else setTimeout(task, 0);
}

/** Node keeps a process alive for its timers unless they are unref'd; in browsers a timer is just a number. */
function letProcessEnd(timer: unknown): void {
  if (typeof timer !== "object" || timer === null) return;
  if ("unref" in timer && typeof timer.unref === "function") timer.unref();
}
