import http from "node:http";
import https from "node:https";
import { pipeline, type Readable } from "node:stream";
import { urlToHttpOptions } from "node:url";
import zlib from "node:zlib";
import { ConnectionError } from "@tacklebox/core";
import {
  addressOf,
  type HttpBody,
  type HttpExchange,
  type HttpReply,
  type HttpReplyHeaders,
  type HttpRequest,
} from "../http-exchange.ts";
import { followSameOrigin } from "../same-origin-redirects.ts";
import { agentOptions, dropEndedSockets, noteIdleLimit, wasConnected, watchSockets } from "./keep-alive.ts";
import { toInterrupted, toUnreachable } from "./network-failure.ts";

export interface NodeExchange extends HttpExchange {
  /** Closes idle connections; the exchange must not be used afterwards. */
  close(): void;
}

/** HTTP over node:http(s), with keep-alive and without the timeouts of the built-in fetch. */
export function createNodeExchange(): NodeExchange {
  const plain = watchSockets(new http.Agent(agentOptions), "connect");
  const secure = watchSockets(new https.Agent(agentOptions), "secureConnect");
  const targetOf = rememberTargets(plain, secure);
  const exchange = followSameOrigin((request) => send(request, targetOf(request.url)));
  return Object.assign(exchange, {
    close() {
      plain.destroy();
      secure.destroy();
    },
  });
}

interface Target {
  readonly agent: http.Agent;
  readonly options: http.RequestOptions;
  readonly host: string;
  readonly begin: typeof http.request;
}

const MAX_TARGETS = 256;

/** Caches parsed URLs: a server has one or two addresses and thousands of requests. */
function rememberTargets(plain: http.Agent, secure: https.Agent): (url: string) => Target {
  const targets = new Map<string, Target>();
  return (url) => {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const parsed = new URL(url);
    const isSecure = parsed.protocol === "https:";
    const agent = isSecure ? secure : plain;
    const { protocol, hostname, port, path, auth } = urlToHttpOptions(parsed);
    // Each request copies its options several times, so what Node would not look at is left out.
    const options = { agent, protocol, hostname, port, path, ...(auth !== undefined && { auth }) };
    const target = { agent, options, host: parsed.host, begin: isSecure ? https.request : http.request };
    if (targets.size >= MAX_TARGETS) targets.clear();
    targets.set(url, target);
    return target;
  };
}

function send(request: HttpRequest, target: Target): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const { signal, url } = request;
    if (signal.aborted) return reject(stopped(request));
    const outgoing = begin(request, target);
    const abort = () => {
      outgoing.destroy();
      // Rejects here because a request still waiting for a connection would emit its error only once it got one.
      reject(stopped(request));
    };
    signal.addEventListener("abort", abort);
    outgoing.on("close", () => signal.removeEventListener("abort", abort));
    outgoing.on("error", (error) => {
      reject(wasConnected(outgoing.socket) ? toInterrupted(error, url) : toUnreachable(error, url));
    });
    outgoing.on("response", (incoming) => resolve(toReply(incoming, request)));
    outgoing.end(request.body);
  });
}

/** Throws ConnectionError for what HTTP cannot carry, such as a line break in a header, before anything is sent. */
function begin({ method, url, headers, body }: HttpRequest, target: Target): http.ClientRequest {
  // A flat array: Node keeps it as it is, but would check and copy an object name by name.
  const list: string[] = [];
  if (headers.host === undefined) list.push("host", target.host);
  if (headers["accept-encoding"] === undefined) list.push("accept-encoding", "gzip, deflate, br");
  for (const name in headers) list.push(name, headers[name] ?? "");
  if (body !== undefined) list.push("content-length", String(Buffer.byteLength(body)));
  dropEndedSockets(target.agent);
  try {
    return target.begin({ ...target.options, method, headers: list });
  } catch (error) {
    throw toUnreachable(error, url);
  }
}

function toReply(incoming: http.IncomingMessage, request: HttpRequest): HttpReply {
  const { statusCode = 0, statusMessage = "" } = incoming;
  const headers = new ReplyHeaders(incoming);
  const keepAlive = headers.get("keep-alive");
  if (keepAlive !== null) noteIdleLimit(incoming.socket, keepAlive);
  return { status: statusCode, statusText: statusMessage, headers, body: toBody(incoming, headers, request) };
}

/** Looks for single headers in the list Node received them in: making an object of them all takes far longer. */
class ReplyHeaders implements HttpReplyHeaders {
  readonly #incoming: http.IncomingMessage;

  constructor(incoming: http.IncomingMessage) {
    this.#incoming = incoming;
  }

  get(name: string): string | null {
    const { rawHeaders } = this.#incoming;
    const wanted = name.toLowerCase();
    let found: string | undefined;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const given = rawHeaders[at] ?? "";
      if (given.length !== wanted.length || given.toLowerCase() !== wanted) continue;
      // Which of several values count differs from header to header, and Node knows.
      if (found !== undefined) return textOf(this.#incoming.headers[wanted] ?? found);
      found = rawHeaders[at + 1];
    }
    return found ?? null;
  }

  *entries(): Iterable<[string, string]> {
    for (const [name, value] of Object.entries(this.#incoming.headers))
      if (value !== undefined) yield [name, textOf(value)];
  }
}

function textOf(value: string | string[]): string {
  return Array.isArray(value) ? value.join(", ") : value;
}

function toBody(incoming: http.IncomingMessage, headers: HttpReplyHeaders, request: HttpRequest): HttpBody {
  const { signal, url } = request;
  return {
    read: (take) =>
      new Promise((resolve, reject) => {
        const source = inflate(incoming, headers.get("content-encoding"));
        let isOver = false;
        const broke = (error?: unknown) => {
          if (isOver) return;
          isOver = true;
          reject(signal.aborted ? stopped(request) : toInterrupted(error, url));
        };
        const refuse = (error: unknown) => {
          isOver = true;
          reject(error);
          source.destroy();
          incoming.destroy();
        };
        source.on("data", (chunk: Uint8Array) => {
          if (isOver) return;
          try {
            const waiting = take(chunk);
            if (waiting === undefined) return;
            source.pause();
            waiting.then(() => void source.resume(), refuse);
          } catch (error) {
            refuse(error);
          }
        });
        source.on("end", () => {
          isOver = true;
          resolve();
        });
        source.on("error", broke);
        source.on("close", broke);
      }),
    stop: () => void incoming.destroy(),
  };
}

/** The decompressed body; it and the request end together, whichever ends first. */
function inflate(incoming: http.IncomingMessage, encoding: string | null): Readable {
  if (encoding === null) return incoming;
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const brotliFlush = {
    flush: zlib.constants.BROTLI_OPERATION_FLUSH,
    finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
  };
  const through = (stream: zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress) =>
    // Errors of either stream reach the reader through the last one.
    pipeline(incoming, stream, () => {});
  switch (encoding.trim().toLowerCase()) {
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

function stopped(request: HttpRequest): ConnectionError {
  return new ConnectionError("cancelled", `The request to ${addressOf(request.url)} was stopped.`);
}
