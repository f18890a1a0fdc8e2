import { MAX_MESSAGE_BYTES } from "./message-size.ts";

/** Smaller messages need no room: there may be many, but together they are small. */
export const LARGE_BYTES = 1024 * 1024;

const MAX_LARGE_BYTES = 64 * 1024 * 1024;
/** A server that stops in the middle of a message must not keep the others waiting for good. */
const MAX_WAIT_MS = 10_000;

/**
 * Limits how many large messages are in memory at once, over all servers: a message of 15 MB takes several times that
 * until its call is over. Whoever reads one waits, so that its server waits too, until there is room for the largest
 * message, or until it has waited for long enough.
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
  /** How many large messages fit. */
  readonly places?: number;
  readonly maxWaitMs?: number;
}

interface Place {
  readonly ready: Promise<void> | undefined;
  readonly leave: () => void;
}

export function createMessageRoom(options: MessageRoomOptions = {}): MessageRoom {
  const { places = MAX_LARGE_BYTES / MAX_MESSAGE_BYTES, maxWaitMs = MAX_WAIT_MS } = options;
  const waiting = new Set<() => void>();
  /** Negative if readers went ahead after a long wait. */
  let free = places;

  function admitNext(): void {
    const [next] = waiting;
    if (free > 0) next?.();
  }

  function enter(): Place {
    let hasPlace = free > 0;
    let hasLeft = false;
    let admit: () => void = () => undefined;
    let ready: Promise<void> | undefined;
    if (hasPlace) free -= 1;
    else {
      ready = new Promise((resolve) => {
        const timer = setTimeout(() => admit(), maxWaitMs);
        admit = () => {
          if (!waiting.delete(admit)) return;
          clearTimeout(timer);
          hasPlace = !hasLeft;
          if (hasPlace) free -= 1;
          resolve();
        };
        waiting.add(admit);
      });
    }
    return {
      ready,
      leave() {
        if (hasLeft) return;
        hasLeft = true;
        if (!hasPlace) return admit();
        free += 1;
        admitNext();
      },
    };
  }

  return {
    seat() {
      let place: Place | undefined;
      const take = () => {
        const leave = place?.leave;
        place = undefined;
        return leave;
      };
      return {
        grow(bytes) {
          if (place !== undefined || bytes <= LARGE_BYTES) return undefined;
          place = enter();
          return place.ready;
        },
        take,
        leave: () => take()?.(),
      };
    },
  };
}
