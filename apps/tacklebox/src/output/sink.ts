import type { Writable } from "node:stream";
import type { Sink } from "../io.ts";

type Write = (output: string | Uint8Array, done: () => void) => void;

/** Wraps a stream. `write` replaces the stream's own method where that was redirected. */
export function createSink(
  stream: Writable,
  write: Write = (output, done) => void stream.write(output, () => done()),
): Sink {
  const gone = new AbortController();
  stream.on("error", (error) => gone.abort(error));
  return {
    gone: gone.signal,
    write: (output) =>
      new Promise((resolve) => {
        if (gone.signal.aborted) return resolve();
        write(output, resolve);
      }),
  };
}
