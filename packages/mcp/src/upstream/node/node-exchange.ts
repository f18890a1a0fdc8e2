import http from "node:http";
import https from "node:https";
import { pipeline, type Readable } from "node:stream";
import zlib from "node:zlib";
import { ConnectionError } from "@tacklebox/core";
import {
  addressOf,
  type HttpExchange,
  type HttpReply,
  type HttpReplyHeaders,
  type HttpRequest,
} from "../http-exchange.ts";
import { followSameOrigin } from "../same-origin-redirects.ts";

export interface NodeExchange extends HttpExchange {
  /** Closes idle connections; the exchange must not be used afterwards. */
  close(): void;
}

/** Shorter than the usual 5 s of servers, so that a request is not sent into a connection that is being closed. */
const IDLE_MS = 4000;

/** HTTP over node:http(s): kept-alive connections and none of the clocks that built-in fetch has. */
export function createNodeExchange(): NodeExchange {
  const plain = keepAlive(new http.Agent({ keepAlive: true }));
  const secure = keepAlive(new https.Agent({ keepAlive: true }));
  const exchange = followSameOrigin((request) => send(request, plain, secure));
  return Object.assign(exchange, {
    close() {
      plain.destroy();
      secure.destroy();
    },
  });
}

function keepAlive<A extends http.Agent>(agent: A): A {
  agent.on("free", (socket) => socket.setTimeout(IDLE_MS));
  return agent;
}

function send(request: HttpRequest, plain: http.Agent, secure: https.Agent): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    if (request.signal.aborted) return reject(stopped(request));
    const isSecure = request.url.startsWith("https:");
    const outgoing = (isSecure ? https : http).request(request.url, {
      method: request.method,
      headers: { "accept-encoding": "gzip, deflate, br", ...request.headers, ...lengthOf(request.body) },
      agent: isSecure ? secure : plain,
    });
    let connected = false;
    outgoing.once("socket", (socket) => {
      socket.setTimeout(0);
      connected = outgoing.reusedSocket;
      if (connected) return;
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        connected = true;
      });
    });
    const abort = () => outgoing.destroy();
    request.signal.addEventListener("abort", abort, { once: true });
    outgoing.once("close", () => request.signal.removeEventListener("abort", abort));
    outgoing.on("error", (error) => reject(toExchangeError(error, request, connected)));
    outgoing.once("response", (incoming) => resolve(toReply(incoming, request)));
    outgoing.end(request.body);
  });
}

function lengthOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}

function toReply(incoming: http.IncomingMessage, request: HttpRequest): HttpReply {
  return {
    status: incoming.statusCode ?? 0,
    statusText: incoming.statusMessage ?? "",
    headers: toHeaders(incoming.headers),
    body: readBody(incoming, request),
  };
}

function toHeaders(headers: http.IncomingHttpHeaders): HttpReplyHeaders {
  const text = (value: string | string[]) => (Array.isArray(value) ? value.join(", ") : value);
  return {
    get(name) {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : text(value);
    },
    *entries() {
      for (const [name, value] of Object.entries(headers)) if (value !== undefined) yield [name, text(value)];
    },
  };
}

async function* readBody(incoming: http.IncomingMessage, request: HttpRequest): AsyncGenerator<Uint8Array> {
  try {
    yield* inflate(incoming);
  } catch (error) {
    throw toExchangeError(error, request, true);
  }
}

function inflate(incoming: http.IncomingMessage): Readable {
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const brotliFlush = {
    flush: zlib.constants.BROTLI_OPERATION_FLUSH,
    finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
  };
  const through = (stream: zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress) =>
    // Errors of either end reach the reader through the last stream.
    pipeline(incoming, stream, () => {});
  switch (incoming.headers["content-encoding"]?.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return through(zlib.createGunzip(flush));
    case "deflate":
      return through(zlib.createInflate(flush));
    case "br":
      return through(zlib.createBrotliDecompress(brotliFlush));
    default:
      return incoming;
  }
}

function toExchangeError(error: unknown, request: HttpRequest, connected: boolean): ConnectionError {
  if (request.signal.aborted) return stopped(request);
  const address = addressOf(request.url);
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  if (connected)
    return new ConnectionError("interrupted", `The connection to ${address} broke${code}.`, { cause: error });
  const text = `Cannot reach ${address}${code}; check the address and the network.`;
  return new ConnectionError("unreachable", text, { cause: error });
}

function stopped(request: HttpRequest): ConnectionError {
  return new ConnectionError("cancelled", `The request to ${addressOf(request.url)} was stopped.`);
}
