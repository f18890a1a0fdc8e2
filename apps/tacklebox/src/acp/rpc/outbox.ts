import type { Sink } from "../../io.ts";

/** Sends messages, one JSON object per line. Messages of one tick are sent in one write. */
export interface Outbox {
  send(message: object): void;
  /** Resolves when the stream has taken everything sent so far. */
  flushed(): Promise<void>;
  /** Undefined while the reader keeps up; otherwise a promise that senders of much output should wait for. */
  drained(): Promise<void> | undefined;
}

const MAX_HELD_CHARACTERS = 4 * 1024 * 1024;
const FLUSH_AT_CHARACTERS = 64 * 1024;

export function createOutbox(sink: Sink): Outbox {
  let text = "";
  let scheduled = false;
  let held = 0;
  let last: Promise<void> = Promise.resolve();

  function flush(): void {
    scheduled = false;
    if (text === "") return;
    const { length } = text;
    held += length;
    last = sink.write(text).then(() => {
      held -= length;
    });
    text = "";
  }

  return {
    send(message) {
      text += `${JSON.stringify(message)}\n`;
      if (text.length >= FLUSH_AT_CHARACTERS) return flush();
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
    flushed() {
      flush();
      return last;
    },
    drained: () => (held > MAX_HELD_CHARACTERS ? last : undefined),
  };
}
