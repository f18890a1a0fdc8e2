import { delay } from "../../async/delay.ts";
import type { StopSignal } from "../../async/stop.ts";
import type { RateLimit } from "../../domain/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RateShares } from "../../ports/shares.ts";
import { createSharedRateMeter } from "./shared-rate-meter.ts";

export type RatePass = "passed" | "refused" | "cancelled";

export interface RateMeter {
  /** Counts one call. Returns a promise only if the call has to wait for its turn. */
  pass(key: string, rate: RateLimit, maxWaitMs: number, signal: StopSignal): RatePass | Promise<RatePass>;
}

/** Keeps calls within their rates: this process's own, or with `shares` the calls it was given of a common rate. */
export function createRateMeter(clock: Clock, shares?: RateShares): RateMeter {
  return shares === undefined ? createOwnRateMeter(clock) : createSharedRateMeter(clock, shares);
}

/** A token bucket kept as one number per key: the time at which the bucket would be full again. */
function createOwnRateMeter(clock: Clock): RateMeter {
  const fullAt = new Map<string, number>();
  return {
    pass(key, { perMinute, burst }, maxWaitMs, signal) {
      const perCall = 60_000 / perMinute;
      const now = clock.monotonic();
      const start = Math.max(fullAt.get(key) ?? now, now);
      const wait = Math.max(0, start - now - perCall * (burst - 1));
      if (wait > maxWaitMs) return "refused";
      fullAt.set(key, start + perCall);
      return wait === 0 ? "passed" : delay(wait, clock, signal).then((waited) => (waited ? "passed" : "cancelled"));
    },
  };
}
