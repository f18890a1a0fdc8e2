import type { FetchLike } from "@modelcontextprotocol/client";
import {
  type HttpExchange,
  type HttpReply,
  type HttpRequest,
  MAX_MESSAGE_BYTES,
  oversize,
  readErrorBody,
} from "./http-exchange.ts";

const BODYLESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);
const LF = 10;
const CR = 13;

/** Lets the SDK's transports send through our exchange, with its caps, instead of built-in fetch. */
export function createExchangeFetch(exchange: HttpExchange): FetchLike {
  return async (url, init = {}) => {
    const reply = await exchange({
      method: toMethod(init.method),
      url: String(url),
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(typeof init.body === "string" ? { body: init.body } : {}),
      signal: init.signal ?? new AbortController().signal,
    });
    return new Response(await toBody(reply), {
      status: reply.status,
      statusText: reply.statusText,
      headers: [...reply.headers.entries()].filter(([name]) => name !== "content-encoding"),
    });
  };
}

function toMethod(method = "GET"): HttpRequest["method"] {
  if (method === "POST" || method === "DELETE" || method === "GET") return method;
  throw new TypeError(`MCP never sends ${method} requests`);
}

async function toBody(reply: HttpReply): Promise<ReadableStream<Uint8Array> | string | null> {
  if (BODYLESS.has(reply.status)) return null;
  if (reply.status >= 300) return readErrorBody(reply.body);
  const isStream = reply.headers.get("content-type")?.includes("text/event-stream") ?? false;
  return toReadableStream(reply.body, isStream ? countEvent() : countAll());
}

function toReadableStream(
  body: AsyncIterable<Uint8Array>,
  weigh: (chunk: Uint8Array) => number,
): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) return controller.close();
      if (weigh(value) > MAX_MESSAGE_BYTES) {
        await chunks.return?.();
        throw oversize(MAX_MESSAGE_BYTES);
      }
      controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}

function countAll(): (chunk: Uint8Array) => number {
  let size = 0;
  return (chunk) => {
    size += chunk.byteLength;
    return size;
  };
}

/** Bytes since the last blank line: a stream may live for days, one event must stay small. */
function countEvent(): (chunk: Uint8Array) => number {
  let size = 0;
  let lineLength = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      lineLength += end - start;
      const blank = lineLength === 0 || (lineLength === 1 && end > 0 && chunk[end - 1] === CR);
      size = blank ? 0 : size + (end - start) + 1;
      lineLength = 0;
      start = end + 1;
    }
    lineLength += chunk.byteLength - start;
    size += chunk.byteLength - start;
    return size;
  };
}
