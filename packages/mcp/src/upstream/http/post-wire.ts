import {
  type Clock,
  ConnectionError,
  delay,
  FreeList,
  isJsonObject,
  type JsonObject,
  type Oddity,
  Stop,
} from "@tacklebox/core";
import { reconnectWaitMs } from "../protocol/reconnect-wait.ts";
import type { RedactServerText } from "../protocol/redact-server-text.ts";
import { refusalOf, toCallRefusal } from "../protocol/refusal.ts";
import {
  cancelled,
  cancelText,
  type Envelope,
  isReply,
  openTicket,
  progressOf,
  refused,
  requestText,
  type Ticket,
  toReplyError,
  type Wire,
  type WireRequest,
} from "../protocol/wire.ts";
import {
  drain,
  type HttpExchange,
  type HttpReply,
  isOk,
  MAX_MESSAGE_BYTES,
  readErrorBody,
  readText,
} from "./http-exchange.ts";
import { type Headers, type HttpSession, modernHeaders, rememberHeaders } from "./session-headers.ts";
import { rpcErrorCode } from "./session-transport.ts";
import { readEvents } from "./sse-parser.ts";

export interface PostWireOptions {
  readonly exchange: HttpExchange;
  readonly url: string;
  readonly session: () => HttpSession;
  /** Makes a new session unless `stale` was replaced already. Rejects with ConnectionError. */
  readonly renewSession: (stale: HttpSession) => Promise<void>;
  readonly envelope: Envelope;
  readonly clock: Clock;
  readonly redact: RedactServerText;
  readonly onUnreadable: () => void;
  readonly onOddity: (oddity: Oddity) => void;
}

/** Answers that blame the request itself: a new session would not change them. */
const REQUEST_ERRORS: ReadonlySet<number | undefined> = new Set([-32700, -32601, -32602, -32020, -32021, -32022]);
const AFTER_ANSWER_MS = 1000;
const CANCEL_MS = 10_000;
const MAX_RESUMES = 5;

/** Our own requests over Streamable HTTP: one POST each, its answer in the reply. */
export function createPostWire(options: PostWireOptions): Wire {
  const { exchange, url, session, renewSession, envelope, clock, redact, onOddity } = options;
  const open = new FreeList<Ticket>();
  const reading = new FreeList<Stop>();
  const headersOf = rememberHeaders();
  let ended: ConnectionError | undefined;
  let count = 0;

  return {
    send(request) {
      if (request.signal.aborted) return refused(cancelled());
      if (ended !== undefined) return refused(new ConnectionError("unreachable", ended.message));
      count += 1;
      const stop = new Stop();
      const ticket = open.fill((slot) =>
        openTicket(`call-${count}`, request, {
          onCancel: (it) => cancel(it, request, stop),
          onFinished: () => open.free(slot),
          redact,
        }),
      );
      const read = reading.add(stop);
      exchangeOnce(ticket, request, stop).then(
        () => reading.free(read),
        (error: unknown) => {
          reading.free(read);
          ticket.fail(toFailure(error));
        },
      );
      return ticket.inFlight;
    },
    end(cause) {
      if (ended !== undefined) return;
      ended = cause;
      for (const ticket of open.values()) ticket.fail(cause);
      for (const stop of reading.values()) stop.abort();
    },
  };

  function cancel(ticket: Ticket, request: WireRequest, stop: Stop): void {
    if (envelope() === undefined) {
      tellCancelled(ticket.id);
      // The stream of a call stays open for a late answer, for as long as the caller keeps the connection.
      if (request.method === "tools/call") return;
    }
    // For modern servers a closed stream is the cancellation.
    stop.abort();
    ticket.fail(cancelled());
  }

  function tellCancelled(id: string): void {
    const stop = new Stop();
    const read = reading.add(stop);
    const timer = setTimeout(() => stop.abort(), CANCEL_MS);
    post(session(), cancelText(id, undefined), undefined, stop)
      .then((reply) => drain(reply.body))
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer);
        reading.free(read);
      });
  }

  async function exchangeOnce(ticket: Ticket, request: WireRequest, stop: Stop): Promise<void> {
    const meta = envelope();
    const body = requestText(ticket.id, request, meta);
    const headers = modernHeaders(request, meta);
    const used = session();
    let reply = await post(used, body, headers, stop);
    if (!isOk(reply)) {
      const text = await readErrorBody(reply.body);
      if (!isLostSession(used, reply.status, text)) return ticket.fail(toRefusal(reply, text));
      await renewSession(used);
      if (request.signal.aborted) return ticket.fail(cancelled());
      // The server refused the request for its session, so it did not run: the one case of sending again (D.7).
      reply = await post(session(), body, headers, stop);
      if (!isOk(reply)) return ticket.fail(toRefusal(reply, await readErrorBody(reply.body)));
    }
    await readReply(reply, ticket, stop);
  }

  function post(to: HttpSession, body: string, modern: Headers | undefined, signal: Stop): Promise<HttpReply> {
    const headers = modern === undefined ? headersOf(to) : { ...headersOf(to), ...modern };
    return exchange({ method: "POST", url, headers, body, signal });
  }

  async function readReply(reply: HttpReply, ticket: Ticket, stop: Stop): Promise<void> {
    const type = reply.headers.get("content-type")?.toLowerCase() ?? "";
    if (type.startsWith("text/event-stream")) return readStreams(reply, ticket, stop);
    if (!type.startsWith("application/json")) {
      await drain(reply.body);
      const text = `The server answered with content type "${redact(type)}" instead of JSON or an event stream.`;
      return ticket.fail(new ConnectionError("protocol-error", text));
    }
    const messages = parseJson(await readText(reply.body, MAX_MESSAGE_BYTES));
    if (messages === undefined) {
      onOddity("unreadable");
      return ticket.fail(new ConnectionError("protocol-error", "The server's answer is not valid JSON."));
    }
    for (const message of Array.isArray(messages) ? messages : [messages]) dispatch(message, ticket);
    if (!ticket.isOpen()) return;
    ticket.fail(new ConnectionError("protocol-error", "The server's answer does not belong to the request."));
  }

  /** Reads the reply stream, and its continuations where the server announced that it would end the stream early. */
  async function readStreams(first: HttpReply, ticket: Ticket, stop: Stop): Promise<void> {
    let resume = await readStream(first, ticket);
    for (let times = 0; ticket.isOpen() && resume !== undefined && times < MAX_RESUMES; times += 1) {
      const wait = { askedMs: resume.retryMs, failures: times, random: clock.random() };
      await delay(reconnectWaitMs(wait), clock, stop);
      const headers = { ...headersOf(session()), accept: "text/event-stream", "last-event-id": resume.id };
      const reply = await exchange({ method: "GET", url, headers, signal: stop }).catch(() => undefined);
      if (reply === undefined) break;
      if (!isOk(reply)) {
        await drain(reply.body);
        break;
      }
      resume = await readStream(reply, ticket);
    }
    if (!ticket.isOpen()) return;
    ticket.fail(new ConnectionError("interrupted", "The server ended the response stream before it answered."));
  }

  async function readStream({ body }: HttpReply, ticket: Ticket): Promise<{ id: string; retryMs: number } | undefined> {
    let id: string | undefined;
    let retryMs: number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await readEvents(body, MAX_MESSAGE_BYTES, (event) => {
        id = event.id ?? id;
        retryMs = event.retryMs ?? retryMs;
        if (event.event === "message" && event.data !== "") dispatch(parseJson(event.data), ticket);
        // Read on so that the connection can be used again, but not for a stream that stays open.
        if (!ticket.isOpen()) timer ??= setTimeout(() => body.stop(), AFTER_ANSWER_MS);
      });
    } finally {
      clearTimeout(timer);
    }
    return id === undefined || retryMs === undefined ? undefined : { id, retryMs };
  }

  function dispatch(message: unknown, ticket: Ticket): void {
    if (!isJsonObject(message)) {
      onOddity("unreadable");
      options.onUnreadable();
      return;
    }
    const progress = progressOf(message);
    if (isReply(message)) takeReply(message, ticket);
    else if (progress?.id === ticket.id) ticket.progress(progress.params);
    else session().deliver(message);
  }

  function takeReply(message: JsonObject, ticket: Ticket): void {
    const isOurs = message.id === ticket.id;
    if (!isOurs) onOddity("unknown-answer");
    else if (!ticket.isWaitedFor()) onOddity("late-answer");
    if (isOurs) ticket.reply(message);
    // Requests of the SDK's have numbers, and some servers answer on whichever stream is open.
    else if (typeof message.id === "number") session().deliver(message);
  }

  function toRefusal(reply: HttpReply, text: string): ConnectionError {
    const { status } = reply;
    const explainsItself = envelope() !== undefined ? status === 400 || status === 404 : status === 404;
    const code = explainsItself ? rpcErrorCode(text) : undefined;
    const parsed: unknown = code === undefined ? undefined : parseJson(text);
    if (isJsonObject(parsed)) return toReplyError(parsed.error, redact);
    return toCallRefusal(refusalOf(reply, clock.now()));
  }

  function toFailure(error: unknown): ConnectionError {
    if (!(error instanceof ConnectionError)) {
      return new ConnectionError("interrupted", "The request failed unexpectedly.", { cause: error });
    }
    if (error.code === "oversize") onOddity("oversize");
    return error;
  }
}

function isLostSession(used: HttpSession, status: number, text: string): boolean {
  if (used.sessionId === undefined || (status !== 404 && status !== 400)) return false;
  return !REQUEST_ERRORS.has(rpcErrorCode(text));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
