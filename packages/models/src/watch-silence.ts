import type { Clock } from "@tacklebox/core";

/** Runs `onSilence` once when nobody called `heard` for `ms`. Cheap to hear: there is one timer, set anew when due. */
export function watchSilence(clock: Clock, ms: number, onSilence: () => void): { heard(): void; stop(): void } {
  let last = clock.monotonic();
  let withdraw = clock.after(ms, check);

  function check() {
    const rest = last + ms - clock.monotonic();
    if (rest <= 0) onSilence();
    else withdraw = clock.after(rest, check);
  }

  return {
    heard: () => {
      last = clock.monotonic();
    },
    stop: () => withdraw(),
  };
}
