import type { RateLimit } from "../domain/limits.ts";

/**
 * This process's share of limits that several processes keep together. The implementation of this port, the owner of
 * the shares, divides each limit among the processes and ensures that together they never exceed it. Everything here
 * is synchronous and cheap: an owner that needs a network uses it in the background and answers from what it knows.
 *
 * One `Shares` serves one engine for its whole life, which is why listeners are never removed. Its creator closes it
 * after the engine has stopped.
 */
export interface Shares {
  readonly slots: SlotShares;
  readonly rates: RateShares;
}

/**
 * How many calls may run at once.
 *
 * To move slots from one process to another, the owner lowers the first one's grant, calls its listener, and learns
 * through `noteUse` how many slots are still in use there. Only slots that are neither granted nor in use may be
 * granted elsewhere: for each gate, the sum over all processes of the larger of grant and use never exceeds the limit.
 */
export interface SlotShares {
  /**
   * How many of a gate's slots this process may use right now: a whole number from 0 to `limit`. Called for every gate
   * of every call, so it must not wait, call listeners, or depend on how often it is called.
   *
   * The grant may change at any time. If it falls below what is in use, running calls are not affected, but no new
   * call is admitted until enough have ended. Processes whose configurations differ for a while may pass different
   * limits for one key; the lowest counts.
   */
  granted(key: string, limit: number): number;
  /**
   * Registers a listener that is called with the key of every gate whose grant changed, once `granted` returns the new
   * value. The listener admits waiting calls as far as the grant allows, and calls `noteUse` for that key, if only
   * with zeros, before it returns. An owner may also call it without a change, to learn what is in use.
   */
  onChange(listener: (key: string) => void): void;
  /**
   * Tells the owner how many calls of this process hold a slot of a gate and how many wait for one. It is not called
   * for a call that finds a free slot and releases it, but
   * - whenever calls start or stop waiting,
   * - whenever a call ends while more slots are in use than granted, so that the owner can pass its slot on, and
   * - in response to every `onChange`.
   *
   * The owner may change grants and call listeners inside it.
   */
  noteUse(key: string, inUse: number, waiting: number): void;
}

/** How many calls may be made per minute. */
export interface RateShares {
  /**
   * Takes a chunk of calls from a rate: a whole number, 0 if none are available now. Called only when the previous
   * chunk is used up. The process may make the calls whenever it likes and never returns them, so a burst may be
   * larger by what the processes have left: hand out few at a time. It must not call listeners.
   */
  takeCalls(key: string, rate: RateLimit): number;
  /** Registers a listener that is called with the key of a rate once it may have calls again after it had none. */
  onChange(listener: (key: string) => void): void;
}
