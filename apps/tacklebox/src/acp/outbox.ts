import type { Sink } from "../io.ts";

/** Messages on their way out, one JSON object a line. Those of one tick leave in one write. */
export interface Outbox {
  send(message: object): void;
  /** Resolves when everything sent so far was taken. */
  flushed(): Promise<void>;
  /** Undefined unless the reader is so far behind that whoever produces much should wait. */
  room(): Promise<void> | undefined;
}

const MOST_HELD_CHARACTERS = 4 * 1024 * 1024;
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
    room: () => (held > MOST_HELD_CHARACTERS ? last : undefined),
  };
}
