import type { StopSignal } from "../../async/stop.ts";
import type { RateLimit } from "../../domain/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RateShares } from "../../ports/shares.ts";
import type { RateMeter, RatePass } from "./rate-meter.ts";

interface Turn {
  readonly rate: RateLimit;
  come(): void;
}

/**
 * Spends chunks of a rate that several processes share. Only the owner of the shares knows when there will be another
 * chunk, so a call waits its full time before it is refused, unless it could not get its turn even if no other process
 * made any calls.
 */
export function createSharedRateMeter(clock: Clock, shares: RateShares): RateMeter {
  /** Calls left of the last chunk; no entry if none are left. */
  const chunks = new Map<string, number>();
  /** Waiting calls in order of arrival; no entry if none wait. */
  const queues = new Map<string, Set<Turn>>();
  shares.onChange(admit);

  function takeCall(key: string, rate: RateLimit): boolean {
    const left = chunks.get(key) ?? shares.takeCalls(key, rate);
    if (left <= 0) return false;
    if (left === 1) chunks.delete(key);
    else chunks.set(key, left - 1);
    return true;
  }

  function admit(key: string): void {
    for (const turn of queues.get(key) ?? []) {
      if (!takeCall(key, turn.rate)) return;
      leave(key, turn);
      turn.come();
    }
  }

  function leave(key: string, turn: Turn): void {
    const queue = queues.get(key);
    queue?.delete(turn);
    if (queue?.size === 0) queues.delete(key);
  }

  function queueUp(key: string, rate: RateLimit, maxWaitMs: number, signal: StopSignal): Promise<RatePass> {
    return new Promise((resolve) => {
      const finish = (pass: RatePass) => {
        cancelTimer();
        signal.removeEventListener("abort", cancel);
        leave(key, turn);
        resolve(pass);
      };
      const turn: Turn = { rate, come: () => finish("passed") };
      const cancel = () => finish("cancelled");
      const cancelTimer = clock.after(maxWaitMs, () => finish("refused"));
      signal.addEventListener("abort", cancel);
      const queue = queues.get(key) ?? new Set();
      queues.set(key, queue.add(turn));
    });
  }

  return {
    pass(key, rate, maxWaitMs, signal) {
      const ahead = queues.get(key)?.size ?? 0;
      if (ahead === 0 && takeCall(key, rate)) return "passed";
      if (signal.aborted) return "cancelled";
      const soonest = (ahead + 1 - rate.burst) * (60_000 / rate.perMinute);
      return soonest > maxWaitMs ? "refused" : queueUp(key, rate, maxWaitMs, signal);
    },
  };
}
