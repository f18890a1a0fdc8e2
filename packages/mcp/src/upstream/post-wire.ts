import { ConnectionError, isJsonObject, type JsonObject } from "@tacklebox/core";
import { pause } from "./abort.ts";
import { toCallRefusal } from "./connection-errors.ts";
import {
  drain,
  type HttpExchange,
  type HttpReply,
  MAX_MESSAGE_BYTES,
  readErrorBody,
  readText,
} from "./http-exchange.ts";
import { encodeHeaderValue } from "./param-headers.ts";
import { isOk, rpcErrorCode } from "./session-transport.ts";
import { readEvents } from "./sse-parser.ts";
import type { StrikeOut } from "./strike-out.ts";
import {
  cancelled,
  cancelMessage,
  type Envelope,
  isReply,
  openTicket,
  progressOf,
  refused,
  requestMessage,
  type Ticket,
  toReplyError,
  type Wire,
  type WireRequest,
} from "./wire.ts";

/** What identifies us to the server right now; replaced as a whole when the session is renewed. */
export interface Session {
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
  deliver(message: unknown): void;
}

export interface PostWireOptions {
  readonly exchange: HttpExchange;
  readonly url: string;
  readonly session: () => Session;
  /** Makes a new session unless `stale` was replaced already. Rejects with ConnectionError. */
  readonly renewSession: (stale: Session) => Promise<void>;
  readonly envelope: Envelope;
  readonly strikeOut: StrikeOut;
  readonly onUnreadable: () => void;
}

/** Answers that blame the request itself: a new session would not change them. */
const REQUEST_ERRORS: ReadonlySet<number | undefined> = new Set([-32700, -32601, -32602, -32020, -32021, -32022]);
const AFTER_ANSWER_MS = 1000;
const MAX_RESUMES = 5;
const RESUME_WAIT_MS = { shortest: 250, longest: 60_000 };

/** Our own requests over Streamable HTTP: one POST each, its answer in the reply. */
export function createPostWire(options: PostWireOptions): Wire {
  const { exchange, url, session, renewSession, envelope, strikeOut } = options;
  const open = new Map<Ticket, AbortController>();
  const reading = new Set<AbortController>();
  let ended: ConnectionError | undefined;
  let count = 0;

  return {
    send(request) {
      if (request.signal.aborted) return refused(cancelled());
      if (ended !== undefined) return refused(new ConnectionError("unreachable", ended.message));
      count += 1;
      const controller = new AbortController();
      const ticket = openTicket(`call-${count}`, request, { onCancel, onFinished: (it) => open.delete(it), strikeOut });
      open.set(ticket, controller);
      reading.add(controller);
      exchangeOnce(ticket, request, controller)
        .catch((error: unknown) => ticket.fail(toFailure(error)))
        .finally(() => reading.delete(controller));
      return ticket.inFlight;
    },
    end(cause) {
      if (ended !== undefined) return;
      ended = cause;
      for (const ticket of [...open.keys()]) ticket.fail(cause);
      for (const controller of reading) controller.abort();
    },
  };

  function onCancel(ticket: Ticket): void {
    if (envelope() === undefined) {
      // Legacy servers are told; their stream stays open for a late answer.
      const body = JSON.stringify(cancelMessage(ticket.id, undefined));
      post(session(), body, {}, new AbortController().signal).then(
        (reply) => drain(reply.body),
        () => {},
      );
      return;
    }
    // For modern servers a closed stream is the cancellation.
    open.get(ticket)?.abort();
    ticket.fail(cancelled());
  }

  async function exchangeOnce(ticket: Ticket, request: WireRequest, controller: AbortController): Promise<void> {
    const body = JSON.stringify(requestMessage(ticket.id, request, envelope()));
    const used = session();
    let reply = await post(used, body, modernHeaders(request, envelope()), controller.signal);
    if (!isOk(reply)) {
      const text = await readErrorBody(reply.body);
      if (!isLostSession(used, reply.status, text)) return ticket.fail(toRefusal(reply, text));
      await renewSession(used);
      if (request.signal.aborted) return ticket.fail(cancelled());
      // The server refused the request for its session, so it did not run: the one case of sending again (D.7).
      reply = await post(session(), body, modernHeaders(request, envelope()), controller.signal);
      if (!isOk(reply)) return ticket.fail(toRefusal(reply, await readErrorBody(reply.body)));
    }
    await readReply(reply, ticket, controller);
  }

  function post(to: Session, body: string, headers: Record<string, string>, signal: AbortSignal): Promise<HttpReply> {
    const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
    return exchange({ method: "POST", url, headers: { ...all, ...sessionHeaders(to) }, body, signal });
  }

  async function readReply(reply: HttpReply, ticket: Ticket, controller: AbortController): Promise<void> {
    const type = reply.headers.get("content-type")?.toLowerCase() ?? "";
    if (type.startsWith("text/event-stream")) return readStreams(reply, ticket, controller);
    if (!type.startsWith("application/json")) {
      await drain(reply.body);
      const text = `The server answered with content type "${strikeOut(type)}" instead of JSON or an event stream.`;
      return ticket.fail(new ConnectionError("protocol-error", text));
    }
    const messages = parseJson(await readText(reply.body, MAX_MESSAGE_BYTES));
    for (const message of Array.isArray(messages) ? messages : [messages]) dispatch(message, ticket);
    if (!open.has(ticket)) return;
    ticket.fail(new ConnectionError("protocol-error", "The server's answer does not belong to the request."));
  }

  /** Reads the reply stream, and its continuations where the server announced that it would end the stream early. */
  async function readStreams(first: HttpReply, ticket: Ticket, controller: AbortController): Promise<void> {
    let resume = await readStream(first, ticket, controller);
    for (let times = 0; open.has(ticket) && resume !== undefined && times < MAX_RESUMES; times += 1) {
      await pause(resume.waitMs, controller.signal);
      const headers = { accept: "text/event-stream", "last-event-id": resume.id, ...sessionHeaders(session()) };
      const reply = await exchange({ method: "GET", url, headers, signal: controller.signal }).catch(() => undefined);
      if (reply === undefined || !isOk(reply)) break;
      resume = await readStream(reply, ticket, controller);
    }
    if (!open.has(ticket)) return;
    ticket.fail(new ConnectionError("interrupted", "The server ended the response stream before it answered."));
  }

  async function readStream(
    reply: HttpReply,
    ticket: Ticket,
    controller: AbortController,
  ): Promise<{ id: string; waitMs: number } | undefined> {
    let id: string | undefined;
    let retryMs: number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      for await (const event of readEvents(reply.body, MAX_MESSAGE_BYTES)) {
        id = event.id ?? id;
        retryMs = event.retryMs ?? retryMs;
        if (event.event === "message" && event.data !== "") dispatch(parseJson(event.data), ticket);
        // Read on so that the connection can be used again, but not for a stream that stays open.
        if (!open.has(ticket)) timer ??= setTimeout(() => controller.abort(), AFTER_ANSWER_MS);
      }
    } finally {
      clearTimeout(timer);
    }
    if (id === undefined || retryMs === undefined) return undefined;
    return { id, waitMs: Math.min(Math.max(retryMs, RESUME_WAIT_MS.shortest), RESUME_WAIT_MS.longest) };
  }

  function dispatch(message: unknown, ticket: Ticket): void {
    const progress = isJsonObject(message) ? progressOf(message) : undefined;
    if (!isJsonObject(message)) options.onUnreadable();
    else if (isReply(message) && message.id === ticket.id) ticket.reply(message);
    else if (progress?.id === ticket.id) ticket.progress(progress.params);
    else session().deliver(message);
  }

  function toRefusal({ status, statusText, headers }: HttpReply, text: string): ConnectionError {
    const explainsItself = envelope() !== undefined ? status === 400 || status === 404 : status === 404;
    const code = explainsItself ? rpcErrorCode(text) : undefined;
    const parsed: unknown = code === undefined ? undefined : parseJson(text);
    if (isJsonObject(parsed)) return toReplyError(parsed.error, strikeOut);
    return toCallRefusal({ status, statusText, retryAfter: headers.get("retry-after") });
  }
}

function isLostSession(used: Session, status: number, text: string): boolean {
  if (used.sessionId === undefined || (status !== 404 && status !== 400)) return false;
  return !REQUEST_ERRORS.has(rpcErrorCode(text));
}

function sessionHeaders({ sessionId, protocolVersion }: Session): Record<string, string> {
  return {
    ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
    ...(protocolVersion === undefined ? {} : { "mcp-protocol-version": protocolVersion }),
  };
}

function modernHeaders(request: WireRequest, envelope: JsonObject | undefined): Record<string, string> {
  if (envelope === undefined) return {};
  const name = request.method === "resources/read" ? request.params.uri : request.params.name;
  return {
    ...request.headers,
    "mcp-method": request.method,
    ...(typeof name === "string" ? { "mcp-name": encodeHeaderValue(name) } : {}),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toFailure(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError("interrupted", "The request failed unexpectedly.", { cause: error });
}
