import { ConnectionError } from "@tacklebox/core";
import { MAX_MESSAGE_BYTES } from "../message-size.ts";

/**
 * Limits what waits for a server that does not read. Requests of ours are few, since their calls hold slots, and may be
 * large; a server can have us answer as often as it likes.
 */
const MAX_REQUESTS = { characters: 16 * MAX_MESSAGE_BYTES, count: Number.POSITIVE_INFINITY };
const MAX_OTHERS = { characters: 4 * MAX_MESSAGE_BYTES, count: 1_000 };

export function notReading(): ConnectionError {
  return new ConnectionError("unreachable", "The server does not read what it is sent, so its connection was closed.");
}

export type Outgoing = "request" | "other";

/** Whether so much may wait for one server. `count` is that of messages sent one by one. */
export function mayWait(kind: Outgoing, characters: number, count = 0): boolean {
  const most = kind === "request" ? MAX_REQUESTS : MAX_OTHERS;
  return characters <= most.characters && count <= most.count;
}

/** Counts the messages other than requests that a server was sent and has not taken yet. */
export class UnreadMessages {
  #characters = 0;
  #count = 0;

  /** Throws ConnectionError if there are too many. Returns what must be called once the server has taken the message. */
  enter({ length }: string): () => void {
    if (!mayWait("other", this.#characters + length, this.#count + 1)) throw notReading();
    this.#characters += length;
    this.#count += 1;
    return () => {
      this.#characters -= length;
      this.#count -= 1;
    };
  }
}
