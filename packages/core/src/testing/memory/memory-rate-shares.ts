import type { Clock } from "../../ports/clock.ts";
import type { RateShares } from "../../ports/shares.ts";

/** Rates that several meters in this process share, handed out in chunks of at most `chunk` calls. */
export function createMemoryRateShares(clock: Clock, chunk: number): { join(): RateShares } {
  const fullAt = new Map<string, number>();
  /** Members that found no calls to take, to be notified when there may be some again. */
  const refused = new Map<string, Set<(key: string) => void>>();

  function notifyLater(key: string, notify: (key: string) => void, ms: number): void {
    const known = refused.get(key);
    if (known !== undefined) {
      known.add(notify);
      return;
    }
    refused.set(key, new Set([notify]));
    clock.after(ms, () => {
      const waiting = refused.get(key) ?? [];
      refused.delete(key);
      for (const one of waiting) one(key);
    });
  }

  return {
    join() {
      const listeners: ((key: string) => void)[] = [];
      const notify = (key: string) => {
        for (const listener of listeners) listener(key);
      };
      return {
        onChange: (listener) => void listeners.push(listener),
        takeCalls(key, { perMinute, burst }) {
          const perCall = 60_000 / perMinute;
          const now = clock.monotonic();
          const start = Math.max(fullAt.get(key) ?? now, now);
          // A rounding error must not hide a call that is due.
          const available = Math.floor(burst - (start - now) / perCall + 1e-9);
          const taken = Math.min(chunk, available);
          if (taken > 0) {
            fullAt.set(key, start + taken * perCall);
            return taken;
          }
          notifyLater(key, notify, start - now - perCall * (burst - 1));
          return 0;
        },
      };
    },
  };
}
