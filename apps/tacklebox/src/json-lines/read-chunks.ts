import type { Readable } from "node:stream";

/** Yields the stream's bytes until it ends or `signal` is aborted. Aborting is a normal end, not an error. */
export async function* readChunks(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (signal.aborted) return;
  const end = () => stream.destroy();
  signal.addEventListener("abort", end, { once: true });
  try {
    for await (const chunk of stream) {
      if (signal.aborted) return;
      yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    }
  } catch (error) {
    // Destroying the stream makes its iterator reject, which is what ends the loop above.
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Reads the whole stream as text. Undefined when it is longer than `most` bytes; never holds more than that. */
export function readWhole(stream: Readable, most: number): Promise<string | undefined> {
  return collectText(readChunks(stream, new AbortController().signal), most);
}

/** Like readWhole, for a stream that is already being read. */
export async function collectText(chunks: AsyncIterable<Uint8Array>, most: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString("utf8");
}
