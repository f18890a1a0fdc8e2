import type { Clock } from "@tacklebox/core";

/** Calls `onIdle` once when `restart` was not called for `ms`. `restart` is cheap: it sets no timer of its own. */
export function startIdleTimer(clock: Clock, ms: number, onIdle: () => void): { restart(): void; stop(): void } {
  let last = clock.monotonic();
  let cancel = clock.after(ms, check);

  function check() {
    const leftMs = last + ms - clock.monotonic();
    if (leftMs <= 0) onIdle();
    else cancel = clock.after(leftMs, check);
  }

  return {
    restart: () => {
      last = clock.monotonic();
    },
    stop: () => cancel(),
  };
}
