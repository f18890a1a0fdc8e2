import { delay } from "../async/delay.ts";
import { FreeList } from "../async/free-list.ts";
import { Stop, type StopSignal } from "../async/stop.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { Clock } from "../ports/clock.ts";
import type { CallTracker } from "../servers/access.ts";

export interface CallsInFlight extends CallTracker {
  /** Returns false if no call with this id is running. */
  stop(id: string): boolean;
  isRunning(id: string): boolean;
  /** Gives running calls `ms` to end, then cancels the rest and waits for them. No new call can use a server. */
  drain(ms: number): Promise<void>;
  /** Cancels all calls now; resolves when they are over. No new call can use a server. */
  cancel(): Promise<void>;
}

interface Tracked {
  readonly id: string | undefined;
  readonly outcome: Promise<unknown>;
  readonly stop: Stop;
}

interface Followers {
  readonly controllers: Set<Stop>;
  readonly abort: () => void;
}

/** `ending` is the error message of calls that come after `drain` or `cancel`. */
export function createCallsInFlight(clock: Clock, ending = "Tacklebox is stopping"): CallsInFlight {
  const running = new FreeList<Tracked>();
  const followers = new Map<StopSignal, Followers>();
  let isEnding = false;

  const find = (id: string) => running.values().find((tracked) => tracked.id === id);
  const outcomes = () => running.values().map(({ outcome }) => outcome);

  /** Adds one listener per signal, however many calls share it: a door may cancel all its calls with one signal. */
  function follow(signal: StopSignal, bounded: Stop): () => void {
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
    track(signal, call, id) {
      const bounded = new Stop();
      const unfollow = signal === undefined ? undefined : follow(signal, bounded);
      const outcome = begin(call, bounded);
      const slot = running.add({ id, outcome, stop: bounded });
      const forget = () => {
        running.free(slot);
        unfollow?.();
      };
      outcome.then(forget, forget);
      return outcome;
    },
    stop(id) {
      const found = find(id);
      found?.stop.abort();
      return found !== undefined;
    },
    isRunning: (id) => find(id) !== undefined,
    guard(link) {
      if (!isEnding && link !== undefined) return link;
      const text = isEnding ? ending : "the server is no longer there";
      return { lease: () => Promise.reject(new ConnectionError("unreachable", text)) };
    },
    async drain(ms) {
      isEnding = true;
      const ended = Promise.allSettled(outcomes());
      const overtime = new AbortController();
      await Promise.race([ended, delay(ms, clock, overtime.signal)]);
      overtime.abort();
      await cancel();
    },
    cancel,
  };

  async function cancel(): Promise<void> {
    isEnding = true;
    abortAll(running.values().map(({ stop }) => stop));
    await Promise.allSettled(outcomes());
  }
}

/** What throws before it can wait ends like what fails later: whoever tracks it lets go of it. */
function begin<T>(call: (stop: Stop) => Promise<T>, stop: Stop): Promise<T> {
  try {
    return call(stop);
  } catch (error) {
    return Promise.reject(error);
  }
}

function abortAll(controllers: Iterable<Stop>): void {
  for (const controller of controllers) controller.abort();
}
