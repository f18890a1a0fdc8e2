import { type Clock, ConnectionError, FreeList, isJsonObject, type Oddity, Stop } from "@tacklebox/core";
import type { Site } from "../causes/site.ts";
import { boundedText } from "../protocol/limits/outgoing-limits.ts";
import { parseJson } from "../protocol/limits/parse-message.ts";
import type { MessageGate } from "../protocol/pace/message-gate.ts";
import type { RedactServerText } from "../protocol/redact-server-text.ts";
import { refusalOf, toCallRefusal } from "../protocol/refusal.ts";
import type { MessageRoom } from "../protocol/room/message-room.ts";
import {
  cancelled,
  cancelText,
  type Envelope,
  failedBeforeSending,
  openTicket,
  requestText,
  type Ticket,
  toReplyError,
  type Wire,
  type WireRequest,
} from "../protocol/wire.ts";
import { drain, type HttpExchange, type HttpReply, isOk, readErrorBody } from "./http-exchange.ts";
import { createReplyReader } from "./reply-reader.ts";
import { type HeaderMap, type HttpSession, modernHeaders, rememberHeaders } from "./session-headers.ts";
import { rpcErrorCode } from "./session-transport.ts";

export interface PostWireOptions {
  readonly exchange: HttpExchange;
  readonly url: string;
  readonly session: () => HttpSession;
  /** Opens a new session unless `stale` was already replaced. Rejects with ConnectionError. */
  readonly renewSession: (stale: HttpSession) => Promise<void>;
  readonly envelope: Envelope;
  readonly clock: Clock;
  /** Paces what is read from the server. */
  readonly gate: MessageGate;
  readonly room: MessageRoom;
  readonly redact: RedactServerText;
  readonly site: Site;
  readonly onUnreadable: () => void;
  readonly onOddity: (oddity: Oddity) => void;
}

/** Errors about the request itself, which a new session would not change. */
const REQUEST_ERRORS: ReadonlySet<number | undefined> = new Set([-32700, -32601, -32602, -32020, -32021, -32022]);
const CANCEL_MS = 10_000;

/** Sends our own requests over Streamable HTTP: one POST each, with the answer in its reply. */
export function createPostWire(options: PostWireOptions): Wire {
  const { exchange, url, session, renewSession, envelope, redact, onOddity } = options;
  const open = new FreeList<Ticket>();
  const reading = new FreeList<Stop>();
  const headersOf = rememberHeaders();
  const readReply = createReplyReader({ ...options, headersOf });
  let ended: ConnectionError | undefined;
  let count = 0;

  return {
    send(request) {
      if (request.signal.aborted) return failedBeforeSending(cancelled());
      if (ended !== undefined) return failedBeforeSending(new ConnectionError("unreachable", ended.message));
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
      notifyCancelled(ticket.id);
      // The stream of a call stays open for a late answer, as long as the connection is kept.
      if (request.method === "tools/call") return;
    }
    // To modern servers, closing the stream is the cancellation.
    stop.abort();
    ticket.fail(cancelled());
  }

  function notifyCancelled(id: string): void {
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
    const body = boundedText(() => requestText(ticket.id, request, meta));
    if (typeof body !== "string") return ticket.fail(body);
    const headers = modernHeaders(request, meta);
    const used = session();
    let reply = await post(used, body, headers, stop);
    if (!isOk(reply)) {
      const text = await readErrorBody(reply.body);
      if (!isLostSession(used, reply.status, text)) return ticket.fail(toRefusal(reply, text, options));
      await renewSession(used);
      if (request.signal.aborted) return ticket.fail(cancelled());
      // The server refused the session, so the request did not run: the only case in which it is sent again (D.7).
      reply = await post(session(), body, headers, stop);
      if (!isOk(reply)) return ticket.fail(toRefusal(reply, await readErrorBody(reply.body), options));
    }
    await readReply(reply, ticket, stop);
  }

  function post(to: HttpSession, body: string, modern: HeaderMap | undefined, signal: Stop): Promise<HttpReply> {
    const headers = modern === undefined ? headersOf(to) : { ...headersOf(to), ...modern };
    return exchange({ method: "POST", url, headers, body, signal });
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

function toRefusal(
  reply: HttpReply,
  text: string,
  { envelope, clock, redact, site, url }: PostWireOptions,
): ConnectionError {
  const { status } = reply;
  const explainsItself = envelope() !== undefined ? status === 400 || status === 404 : status === 404;
  const code = explainsItself ? rpcErrorCode(text) : undefined;
  const parsed: unknown = code === undefined ? undefined : parseJson(text);
  if (isJsonObject(parsed)) return toReplyError(parsed.error, redact);
  return toCallRefusal(refusalOf(reply, url, clock.now()), site);
}
