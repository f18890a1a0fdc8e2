import { type Clock, ConnectionError, type Flood } from "@tacklebox/core";
import { type Deferred, deferred } from "../deferred.ts";

/**
 * What a message turned out to be: the answer to a request, news of one that is under way, or neither. An answer that
 * nobody waits for and text that is no message at all are `unasked` too.
 */
export type Arrival = "answer" | "progress" | "unasked";

export interface MessageGateDeps {
  readonly clock: Clock;
  readonly onFlood: (flood: Flood) => void;
  /** Called once, if the server does not stop: its connection is over. */
  readonly onEnded?: (cause: ConnectionError) => void;
}

/** How many messages a second a server may send for long without having been asked for any. */
const UNASKED_PER_SECOND = 1_000;
/** How many may come at once, such as the log lines of a start. */
const BURST = 3_000;
/** How many more each answer allows for: a server that logs a few lines per call may do so for thousands of calls. */
const PER_ANSWER = 10;
/** How many are read together while there are too many; reading them one by one would take a timer for each. */
const AT_ONCE = 50;
/** How long a flood may go on while the server is paused. */
const PATIENCE_MS = 5_000;
/** After this many messages, whatever they are, everything else in the process gets a turn. */
const PER_TURN = 128;
/** From here on it is worth a timer to notice the next turn. */
const MANY_IN_TURN = 64;

/**
 * Decides when the next message of one server may be parsed, so that a server that floods us with messages slows down
 * nobody but itself. Whoever reads its messages asks before each and stops reading meanwhile, which in the end blocks
 * the server.
 */
export class MessageGate {
  readonly #clock: Clock;
  readonly #deps: MessageGateDeps;
  /** Set if the server did not stop. */
  ended: ConnectionError | undefined;
  #allowance = BURST;
  #refilledAt: number;
  /** Unasked messages since the allowance was last full, and since when. */
  #count = 0;
  #since: number;
  /** When the allowance was used up, and how fast; undefined once half of it is back. */
  #usedUp: { readonly at: number; readonly perSecond: number } | undefined;
  /** Set while the server is paused. */
  #pausing: Deferred<void> | undefined;
  #inTurn = 0;
  #nextTurn: Promise<void> | undefined;
  #isOpen = false;

  constructor(deps: MessageGateDeps) {
    this.#deps = deps;
    this.#clock = deps.clock;
    this.#refilledAt = deps.clock.monotonic();
    this.#since = this.#refilledAt;
  }

  /**
   * Returns undefined if the next message may be parsed now; otherwise a promise that settles when it may. That promise
   * rejects with ConnectionError if the server does not stop, which is the end of the connection.
   */
  blocked(): Promise<void> | undefined {
    if (this.#isOpen) return undefined;
    if (this.#allowance < 1) {
      this.#refill();
      if (this.#allowance < 1) return this.#pause();
    }
    return this.#inTurn >= PER_TURN ? this.#nextTurn : undefined;
  }

  /** Must be called with each message once it was parsed. */
  took(arrival: Arrival): void {
    this.#inTurn += 1;
    if (this.#inTurn === MANY_IN_TURN) this.#noticeNextTurn();
    if (arrival === "answer") this.#allowance = Math.min(BURST, this.#allowance + PER_ANSWER);
    if (arrival !== "unasked") return;
    this.#refill();
    this.#allowance -= 1;
    this.#count += 1;
  }

  /** Lets everything through. For a server that has ended: what is left of its output is little, and may be answers. */
  open(): void {
    this.#isOpen = true;
    this.#pausing?.resolve();
  }

  #noticeNextTurn(): void {
    this.#nextTurn = new Promise((resolve) => {
      this.#clock.after(0, () => {
        this.#inTurn = 0;
        resolve();
      });
    });
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    const earned = ((now - this.#refilledAt) * UNASKED_PER_SECOND) / 1000;
    this.#refilledAt = now;
    this.#allowance = Math.min(BURST, this.#allowance + earned);
    if (this.#allowance >= BURST / 2) this.#usedUp = undefined;
    if (this.#allowance < BURST) return;
    this.#count = 0;
    this.#since = now;
  }

  #pause(): Promise<void> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    if (this.#pausing !== undefined) return this.#pausing.promise;
    const now = this.#clock.monotonic();
    if (this.#usedUp === undefined) {
      const perSecond = Math.round((this.#count * 1000) / Math.max(1, now - this.#since));
      this.#usedUp = { at: now, perSecond };
      this.#deps.onFlood({ kind: "paused", perSecond });
    }
    const { at, perSecond } = this.#usedUp;
    if (now - at >= PATIENCE_MS) {
      this.ended = new ConnectionError("interrupted", floodText(perSecond));
      this.#deps.onFlood({ kind: "ended", perSecond });
      this.#deps.onEnded?.(this.ended);
      return Promise.reject(this.ended);
    }
    const pausing = deferred<void>();
    this.#pausing = pausing;
    this.#clock.after(((AT_ONCE - this.#allowance) * 1000) / UNASKED_PER_SECOND, () => {
      this.#pausing = undefined;
      pausing.resolve();
    });
    return pausing.promise;
  }
}

function floodText(perSecond: number): string {
  const rate = perSecond.toLocaleString("en");
  return (
    `The server sent about ${rate} messages a second that nothing had asked for, and went on while it was paused. ` +
    "Its connection was closed."
  );
}
