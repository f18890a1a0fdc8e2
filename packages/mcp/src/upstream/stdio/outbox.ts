import process from "node:process";
import type { Writable } from "node:stream";
import { mayWait } from "../protocol/limits/unread-messages.ts";

/** Writes messages to a server's stdin, one per line. */
export interface Outbox {
  /** Queues one message; `id` is that of a request. Messages of the same tick are batched into one write. */
  push(text: string, id: string | undefined): void;
  /** Hands over what is queued, as far as the pipe takes it. */
  flush(): void;
}

/** Nothing is written any more after either was called. */
export interface OutboxEvents {
  /**
   * Called once, if the server has closed its end, with the requests of which certainly no byte was taken. A request
   * that the pipe was taking when it broke is not among them.
   */
  readonly onBroken: (unsent: readonly string[]) => void;
  /** Called instead, if the server leaves too much unread: it may have us answer it without ever reading an answer. */
  readonly onFull: (unsent: readonly string[]) => void;
}

export function createOutbox(stdin: Writable, { onBroken, onFull }: OutboxEvents): Outbox {
  let state: "ready" | "writing" | "broken" = "ready";
  let queue = "";
  let queuedIds: string[] = [];
  /** The length of what is queued, and of what the pipe has not taken yet; of requests, and of everything else. */
  let queuedRequests = 0;
  let queuedOthers = 0;
  let writingRequests = 0;
  let writingOthers = 0;

  function flush(): void {
    if (queue === "" || state !== "ready" || !stdin.writable) return;
    const text = queue;
    const ids = queuedIds;
    queue = "";
    queuedIds = [];
    state = "writing";
    writingRequests = queuedRequests;
    writingOthers = queuedOthers;
    queuedRequests = 0;
    queuedOthers = 0;
    stdin.write(text, written);
    // Whatever a pipe can take, it takes at once; and a pipe that is closed refuses at once, without taking a byte.
    if (stdin.errored) breakWith(ids);
    else if (stdin.writableLength === 0) becomeReady();
  }

  function written(error?: Error | null): void {
    if (error) breakWith([]);
    if (state !== "writing") return;
    becomeReady();
    flush();
  }

  function becomeReady(): void {
    state = "ready";
    writingRequests = 0;
    writingOthers = 0;
  }

  function breakWith(refused: readonly string[]): void {
    if (state === "broken") return;
    state = "broken";
    onBroken([...refused, ...queuedIds]);
  }

  function overflow(): void {
    state = "broken";
    queue = "";
    onFull(queuedIds);
  }

  stdin.on("error", () => breakWith([]));
  // If the server's exit is noticed before its broken pipe, the stream is destroyed without an error.
  stdin.on("close", () => {
    if (queue !== "") breakWith([]);
  });
  return {
    push(text, id) {
      if (state === "broken") return;
      if (queue === "") process.nextTick(flush);
      queue += `${text}\n`;
      if (id === undefined) {
        queuedOthers += text.length;
        if (!mayWait("other", queuedOthers + writingOthers)) overflow();
        return;
      }
      queuedRequests += text.length;
      queuedIds.push(id);
      if (!mayWait("request", queuedRequests + writingRequests)) overflow();
    },
    flush,
  };
}
