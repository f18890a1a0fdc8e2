import type { FetchLike } from "@modelcontextprotocol/client";
import { ConnectionError, Stop } from "@tacklebox/core";
import { expectsAnswer } from "../causes/not-mcp.ts";
import { type DeepMessage, deepMessageIn, tooDeep } from "../protocol/limits/parse-message.ts";
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
  readText,
} from "./http-exchange.ts";
import { paceEvents } from "./paced-events.ts";
import { createEventReader, eventText } from "./sse-parser.ts";

const BODYLESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

export interface SdkFetchEvents {
  /** Called when a message over the size limit, or an answer nested too deeply, is about to end its reply. */
  readonly onOversize?: (error: ConnectionError) => void;
  /** Called for a message of a stream that is nested too deeply; the SDK does not see it. */
  readonly onDeepMessage?: (message: DeepMessage) => void;
  /** Given the JSON that answers a request; throws if that is no answer. */
  readonly checkAnswer?: (text: string) => void;
}

/** Makes the SDK's transports send through our exchange, within our limits, instead of the built-in fetch. */
export function createSdkFetch(exchange: HttpExchange, gate: MessageGate, events: SdkFetchEvents = {}): FetchLike {
  return async (url, init = {}) => {
    const reply = await exchange({
      method: toMethod(init.method),
      url: String(url),
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(typeof init.body === "string" ? { body: init.body } : {}),
      signal: init.signal ?? new Stop(),
    });
    const body = await toBody(reply, gate, events, expectsAnswer(init.body));
    return new Response(body, {
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
  { onOversize, onDeepMessage, checkAnswer }: SdkFetchEvents,
  isAnswer: boolean,
): Promise<ReadableStream<Uint8Array> | string | null> {
  if (BODYLESS.has(reply.status)) {
    await drain(reply.body);
    return null;
  }
  if (reply.status >= 300) return readErrorBody(reply.body);
  const type = reply.headers.get("content-type") ?? "";
  const report = (error: unknown): unknown => {
    if (error instanceof ConnectionError && error.code === "oversize") onOversize?.(error);
    return error;
  };
  if (type.includes("text/event-stream")) {
    // Paced first: a flood must be stopped before anything is parsed.
    return toReadableStream(withoutDeepEvents(paced(reply.body, gate), onDeepMessage), report);
  }
  if (!type.includes("json")) return toReadableStream(withinLimit(reply.body), report);
  const text = await readText(reply.body, MAX_MESSAGE_BYTES).catch((error: unknown) => {
    throw report(error);
  });
  if (deepMessageIn(text) !== undefined) throw report(tooDeep());
  if (isAnswer) checkAnswer?.(text);
  return text;
}

function paced(body: HttpBody, gate: MessageGate): HttpBody {
  return { read: (take) => body.read(paceEvents(take, gate)), stop: () => body.stop() };
}

/** The stream without messages that are nested too deeply: the SDK would parse them and pass them on. */
function withoutDeepEvents(body: HttpBody, onDeepMessage: SdkFetchEvents["onDeepMessage"]): HttpBody {
  let passed = "";
  const push = createEventReader(MAX_MESSAGE_BYTES, (event) => {
    const message = deepMessageIn(event.data);
    if (message === undefined) passed += eventText(event);
    else onDeepMessage?.(message);
  });
  return {
    read: (take) =>
      body.read((chunk) => {
        push(chunk);
        const text = passed;
        passed = "";
        return text === "" ? undefined : take(encoder.encode(text));
      }),
    stop: () => body.stop(),
  };
}

const encoder = new TextEncoder();

function toReadableStream(body: HttpBody, report: (error: unknown) => unknown): ReadableStream<Uint8Array> {
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
        // Chunks that arrive together are passed on as one: the reader keeps a list of them, and each may be one byte.
        waiting.push(chunk);
        if (waiting.length === 1) queueMicrotask(pass);
        if ((controller.desiredSize ?? 0) > 0) return undefined;
        return new Promise<void>((resolve) => {
          resume = resolve;
        });
      };
      body.read(take).then(
        () => {
          pass();
          if (wanted) controller.close();
        },
        (error: unknown) => {
          pass();
          wanted = false;
          controller.error(report(error));
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

function withinLimit(body: HttpBody): HttpBody {
  let size = 0;
  return {
    read: (take) =>
      body.read((chunk) => {
        size += chunk.byteLength;
        if (size > MAX_MESSAGE_BYTES) throw oversize(MAX_MESSAGE_BYTES);
        return take(chunk);
      }),
    stop: () => body.stop(),
  };
}
