import type { Writable } from "node:stream";
import type { Sink } from "../io.ts";

export function createSink(stream: Writable): Sink {
  const gone = new AbortController();
  stream.on("error", (error) => gone.abort(error));
  return {
    gone: gone.signal,
    write: (output) =>
      new Promise((resolve) => {
        if (gone.signal.aborted) return resolve();
        stream.write(output, () => resolve());
      }),
  };
}
