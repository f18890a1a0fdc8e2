import { MAX_TURN_CHARACTERS, ModelError } from "@tacklebox/core";

/** One event of a stream: the longest repeat a whole turn. */
const MAX_EVENT_BYTES = 4 * MAX_TURN_CHARACTERS;
/** Embeddings come as one long line. */
const MAX_LINE_BYTES = 16 * MAX_TURN_CHARACTERS;
const MAX_ERROR_BYTES = 1024 * 1024;
const LF = 10;

/**
 * Keeps a server from filling our memory where no one would notice: the SDK reads a whole event, or the whole body of
 * an error, before it hands anything on.
 */
export function boundBody(response: Response, name: string): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const bound = response.ok ? boundedLines(name, isStream ? MAX_EVENT_BYTES : MAX_LINE_BYTES) : firstBytes();
  return new Response(response.body.pipeThrough(bound), response);
}

function boundedLines(name: string, most: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lastEnd = chunk.lastIndexOf(LF);
      bytes = lastEnd === -1 ? bytes + chunk.length : chunk.length - lastEnd - 1;
      if (bytes <= most) controller.enqueue(chunk);
      else controller.error(new ModelError("bad-answer", tooLongText(name, most)));
    },
  });
}

function tooLongText(name: string, most: number): string {
  const next = "Check the address and the API setting for this server";
  return `Model '${name}' sent more than ${most / 1024 / 1024} MB without a line break and was stopped. ${next}.`;
}

/** Enough to read the error from. */
function firstBytes(): TransformStream<Uint8Array, Uint8Array> {
  let left = MAX_ERROR_BYTES;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}
