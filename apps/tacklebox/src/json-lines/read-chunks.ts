import type { Readable } from "node:stream";

/** The stream's bytes until its end or until `signal`, whichever is first; aborting is an end, not an error. */
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
    // Destroying the stream makes its iterator reject; that is how the loop above is woken.
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** The whole stream as text; undefined when it is longer than `most` bytes, of which no more is held. */
export function readWhole(stream: Readable, most: number): Promise<string | undefined> {
  return collectText(readChunks(stream, new AbortController().signal), most);
}

/** As readWhole, of what is being read already. */
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
