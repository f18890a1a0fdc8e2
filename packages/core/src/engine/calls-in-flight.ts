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

interface Followers {
  readonly controllers: Set<AbortController>;
  readonly abort: () => void;
}

export function callsInFlight(clock: Clock): CallsInFlight {
  const running = new Map<Promise<unknown>, AbortController>();
  const followers = new Map<AbortSignal, Followers>();
  let draining = false;

  /** One listener per signal however many calls share it: a door cancels all its calls with one. */
  function follow(signal: AbortSignal, bounded: AbortController): () => void {
    const known: Followers = followers.get(signal) ?? {
      controllers: new Set(),
      abort: () => abortAll(known.controllers),
    };
    if (known.controllers.size === 0) signal.addEventListener("abort", known.abort);
    followers.set(signal, known);
    known.controllers.add(bounded);
    if (signal.aborted) bounded.abort();
    return () => {
      known.controllers.delete(bounded);
      if (known.controllers.size > 0) return;
      signal.removeEventListener("abort", known.abort);
      followers.delete(signal);
    };
  }

  return {
    track(signal, call) {
      const bounded = new AbortController();
      const unfollow = signal === undefined ? undefined : follow(signal, bounded);
      const outcome = call(bounded.signal);
      running.set(outcome, bounded);
      const forget = () => {
        running.delete(outcome);
        unfollow?.();
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
      abortAll(running.values());
      await Promise.allSettled(running.keys());
    },
  };
}

function abortAll(controllers: Iterable<AbortController>): void {
  for (const controller of controllers) controller.abort();
}
