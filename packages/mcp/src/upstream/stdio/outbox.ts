import process from "node:process";
import type { Writable } from "node:stream";

/** Writes messages to a server's stdin, one per line. */
export interface Outbox {
  /** Queues one message; `id` is that of a request. Messages of the same tick are batched into one write. */
  push(text: string, id: string | undefined): void;
  /** Hands over what is queued, as far as the pipe takes it. */
  flush(): void;
}

/**
 * `onBroken` is called once, if the server has closed its end, with the requests of which certainly no byte was taken.
 * A request that the pipe was taking when it broke is not among them.
 */
export function createOutbox(stdin: Writable, onBroken: (unsent: readonly string[]) => void): Outbox {
  let state: "ready" | "writing" | "broken" = "ready";
  let queue = "";
  let queuedIds: string[] = [];

  function flush(): void {
    if (queue === "" || state !== "ready" || !stdin.writable) return;
    const text = queue;
    const ids = queuedIds;
    queue = "";
    queuedIds = [];
    state = "writing";
    stdin.write(text, written);
    // Whatever a pipe can take, it takes at once; and a pipe that is closed refuses at once, without taking a byte.
    if (stdin.errored) breakWith(ids);
    else if (stdin.writableLength === 0) state = "ready";
  }

  function written(error?: Error | null): void {
    if (error) breakWith([]);
    if (state !== "writing") return;
    state = "ready";
    flush();
  }

  function breakWith(refused: readonly string[]): void {
    if (state === "broken") return;
    state = "broken";
    onBroken([...refused, ...queuedIds]);
  }

  stdin.on("error", () => breakWith([]));
  // If the server's exit is noticed before its broken pipe, the stream is destroyed without an error.
  stdin.on("close", () => {
    if (queue !== "") breakWith([]);
  });
  return {
    push(text, id) {
      if (queue === "") process.nextTick(flush);
      queue += `${text}\n`;
      if (id !== undefined) queuedIds.push(id);
    },
    flush,
  };
}
