import { MAX_MESSAGE_BYTES } from "../message-size.ts";

/** Smaller messages need no room: there may be many, but together they are small. */
export const LARGE_BYTES = 1024 * 1024;

/** Until its call is over and its outcome is written, a message takes up about eight times its size. */
const MAX_LARGE_BYTES = 32 * 1024 * 1024;
/** A server that stops in the middle of a message, or a reader of our output, must not keep the others waiting. */
const MAX_HOLD_MS = 10_000;

/**
 * Limits the large messages that are in memory at once, over all servers. Whoever reads one waits, so that its server
 * waits too, until there is room for the largest there may be; once it is read, only its own size counts. No message
 * holds its room for long.
 */
export interface MessageRoom {
  /** For a reader, who reads one message after the other. */
  seat(): Seat;
}

export interface Seat {
  /**
   * Must be called as the message grows. Returns a promise if the reader must wait before it reads on; resolves early
   * if the message ends or the seat is left.
   */
  grow(bytes: number): Promise<void> | undefined;
  /** Ends the message. Returns a function that gives its room back, or undefined if the message took up none. */
  take(): (() => void) | undefined;
  /** Ends the message and gives its room back. */
  leave(): void;
}

export interface MessageRoomOptions {
  readonly bytes?: number;
  readonly maxHoldMs?: number;
}

export function createMessageRoom(options: MessageRoomOptions = {}): MessageRoom {
  const { bytes = MAX_LARGE_BYTES, maxHoldMs = MAX_HOLD_MS } = options;
  const waiting = new Set<() => void>();
  let free = bytes;

  function give(back: number): void {
    free += back;
    for (const admit of waiting) {
      if (free < MAX_MESSAGE_BYTES) break;
      admit();
    }
  }

  function enter(): Place {
    const place: Place = { held: 0, leave, ready: undefined };
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopWaiting: () => void = () => undefined;
    function hold(): void {
      place.held = MAX_MESSAGE_BYTES;
      free -= place.held;
      timer = setTimeout(leave, maxHoldMs);
    }
    function leave(): void {
      stopWaiting();
      clearTimeout(timer);
      const { held } = place;
      place.held = 0;
      if (held > 0) give(held);
    }
    if (free >= MAX_MESSAGE_BYTES) hold();
    else {
      place.ready = new Promise((resolve) => {
        const admit = () => {
          waiting.delete(admit);
          hold();
          resolve();
        };
        waiting.add(admit);
        stopWaiting = () => {
          if (waiting.delete(admit)) resolve();
        };
      });
    }
    return place;
  }

  return { seat: () => new RoomSeat(enter, give) };
}

/** A class, because there is one for every reply over HTTP, and closures would be created each time. */
class RoomSeat implements Seat {
  readonly #enter: () => Place;
  readonly #give: (bytes: number) => void;
  #place: Place | undefined;
  #size = 0;

  constructor(enter: () => Place, give: (bytes: number) => void) {
    this.#enter = enter;
    this.#give = give;
  }

  grow(bytes: number): Promise<void> | undefined {
    this.#size = bytes;
    if (this.#place !== undefined || bytes <= LARGE_BYTES) return undefined;
    this.#place = this.#enter();
    return this.#place.ready;
  }

  take(): (() => void) | undefined {
    const taken = this.#place;
    if (taken === undefined) return undefined;
    this.#place = undefined;
    const spare = Math.max(0, taken.held - this.#size);
    taken.held -= spare;
    if (spare > 0) this.#give(spare);
    return taken.leave;
  }

  leave(): void {
    this.take()?.();
  }
}

interface Place {
  /** How much room it takes up; none while it waits, or once it was left. */
  held: number;
  ready: Promise<void> | undefined;
  readonly leave: () => void;
}
