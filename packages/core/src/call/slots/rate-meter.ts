import type { RateLimit } from "../../domain/limits.ts";
import type { Clock } from "../../ports/clock.ts";

export interface RateMeter {
  /** Reserves the next free moment for `key`: milliseconds to wait, or undefined when that is more than `maxWaitMs`. */
  reserve(key: string, rate: RateLimit, maxWaitMs: number): number | undefined;
}

/** A token bucket kept as one number per key: the time at which the bucket would be full again. */
export function createRateMeter(clock: Clock): RateMeter {
  const fullAt = new Map<string, number>();
  return {
    reserve(key, { perMinute, burst }, maxWaitMs) {
      const perCall = 60_000 / perMinute;
      const now = clock.monotonic();
      const start = Math.max(fullAt.get(key) ?? now, now);
      const wait = Math.max(0, start - now - perCall * (burst - 1));
      if (wait > maxWaitMs) return undefined;
      fullAt.set(key, start + perCall);
      return wait;
    },
  };
}
