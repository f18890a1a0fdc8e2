import { ConnectionError } from "../domain/connection.ts";
import { pause } from "../domain/pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { ServerLink } from "../ports/server-link.ts";

export interface CallsInFlight {
  /** Runs a call under a signal that also ends when draining runs out of time. */
  track<T>(signal: AbortSignal | undefined, call: (bounded: AbortSignal) => Promise<T>): Promise<T>;
  /** The link, or one that refuses: once draining began nothing new may reach a server. */
  guard(link: ServerLink | undefined): ServerLink;
  /** Lets calls end within `ms`, then cancels the rest and waits for them. */
  drain(ms: number): Promise<void>;
}

export function callsInFlight(clock: Clock): CallsInFlight {
  const running = new Map<Promise<unknown>, AbortController>();
  let draining = false;

  return {
    track(signal, call) {
      const bounded = new AbortController();
      const abort = () => bounded.abort();
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
      const outcome = call(bounded.signal);
      running.set(outcome, bounded);
      const forget = () => {
        running.delete(outcome);
        signal?.removeEventListener("abort", abort);
      };
      outcome.then(forget, forget);
      return outcome;
    },
    guard(link) {
      if (!draining && link !== undefined) return link;
      return { lease: () => Promise.reject(new ConnectionError("unreachable", "Tacklebox is stopping")) };
    },
    async drain(ms) {
      draining = true;
      const ended = Promise.allSettled(running.keys());
      const overtime = new AbortController();
      await Promise.race([ended, pause(ms, clock, overtime.signal)]);
      overtime.abort();
      for (const bounded of running.values()) bounded.abort();
      await Promise.allSettled(running.keys());
    },
  };
}
