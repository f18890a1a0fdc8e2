import type { Clock } from "../ports/clock.ts";

/** The platform's own clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
  inBackground(ms, task) {
    const timer = setTimeout(task, ms);
    letProcessEnd(timer);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Node keeps a process alive for its timers unless they are unref'd; in browsers a timer is just a number. */
function letProcessEnd(timer: unknown): void {
  if (typeof timer !== "object" || timer === null) return;
  if ("unref" in timer && typeof timer.unref === "function") timer.unref();
}
