import type { FetchLike } from "@modelcontextprotocol/client";
import type { ConnectionError } from "@tacklebox/core";
import { Stop } from "@tacklebox/core";
import { MAX_MESSAGE_BYTES, oversize } from "../protocol/message-size.ts";
import type { MessageGate } from "../protocol/pace/message-gate.ts";
import {
  concatBytes,
  drain,
  type HttpBody,
  type HttpExchange,
  type HttpReply,
  type HttpRequest,
  readErrorBody,
  type TakeChunk,
} from "./http-exchange.ts";
import { paceEvents } from "./paced-events.ts";

const BODYLESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);
const LF = 10;
const CR = 13;

/** Makes the SDK's transports send through our exchange, with our limits, instead of the built-in fetch. */
export function createSdkFetch(
  exchange: HttpExchange,
  gate: MessageGate,
  onOversize?: (error: ConnectionError) => void,
): FetchLike {
  return async (url, init = {}) => {
    const reply = await exchange({
      method: toMethod(init.method),
      url: String(url),
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(typeof init.body === "string" ? { body: init.body } : {}),
      signal: init.signal ?? new Stop(),
    });
    return new Response(await toBody(reply, gate, onOversize), {
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

async function toBody(
  reply: HttpReply,
  gate: MessageGate,
  onOversize: ((error: ConnectionError) => void) | undefined,
): Promise<ReadableStream<Uint8Array> | string | null> {
  if (BODYLESS.has(reply.status)) {
    await drain(reply.body);
    return null;
  }
  if (reply.status >= 300) return readErrorBody(reply.body);
  const isStream = reply.headers.get("content-type")?.includes("text/event-stream") ?? false;
  const countBytes = isStream ? countEvent() : countAll();
  const check = (chunk: Uint8Array) => {
    if (countBytes(chunk) <= MAX_MESSAGE_BYTES) return;
    const error = oversize(MAX_MESSAGE_BYTES);
    onOversize?.(error);
    throw error;
  };
  return toReadableStream(reply.body, check, isStream ? (take) => paceEvents(take, gate) : (take) => take);
}

function toReadableStream(
  body: HttpBody,
  check: (chunk: Uint8Array) => void,
  pace: (take: TakeChunk) => TakeChunk,
): ReadableStream<Uint8Array> {
  let resume: (() => void) | undefined;
  let wanted = true;
  let waiting: Uint8Array[] = [];
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const pass = () => {
        const chunks = waiting;
        waiting = [];
        if (wanted && chunks.length > 0) controller.enqueue(concatBytes(chunks));
      };
      const take = (chunk: Uint8Array) => {
        check(chunk);
        // Chunks that arrive together are passed on as one: the reader keeps a list of them, and each may be one byte.
        waiting.push(chunk);
        if (waiting.length === 1) queueMicrotask(pass);
        if ((controller.desiredSize ?? 0) > 0) return undefined;
        return new Promise<void>((resolve) => {
          resume = resolve;
        });
      };
      body.read(pace(take)).then(
        () => {
          pass();
          if (wanted) controller.close();
        },
        (error: unknown) => {
          pass();
          wanted = false;
          controller.error(error);
        },
      );
    },
    pull() {
      resume?.();
    },
    cancel() {
      wanted = false;
      body.stop();
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

/** Counts the bytes since the last blank line: a stream may live for days, but one event must stay small. */
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
