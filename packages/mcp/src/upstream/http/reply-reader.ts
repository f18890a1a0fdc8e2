import {
  type Clock,
  ConnectionError,
  delay,
  isJsonObject,
  type JsonObject,
  type Oddity,
  type Stop,
} from "@tacklebox/core";
import { DeepMessage, parseMessage } from "../protocol/limits/parse-message.ts";
import { MAX_MESSAGE_BYTES } from "../protocol/message-size.ts";
import type { Arrival, MessageGate } from "../protocol/pace/message-gate.ts";
import { reconnectWaitMs } from "../protocol/pace/reconnect-wait.ts";
import type { RedactServerText } from "../protocol/redact-server-text.ts";
import type { MessageRoom, Seat } from "../protocol/room/message-room.ts";
import { isReply, progressOf, type Ticket } from "../protocol/wire.ts";
import { drain, type HttpExchange, type HttpReply, isOk, readText } from "./http-exchange.ts";
import type { HeaderMap, HttpSession } from "./session-headers.ts";
import { readEvents, type SseEvent } from "./sse-parser.ts";

export interface ReplyReaderDeps {
  readonly exchange: HttpExchange;
  readonly url: string;
  readonly session: () => HttpSession;
  readonly headersOf: (session: HttpSession) => HeaderMap;
  readonly clock: Clock;
  readonly gate: MessageGate;
  readonly room: MessageRoom;
  readonly redact: RedactServerText;
  readonly onUnreadable: () => void;
  readonly onOddity: (oddity: Oddity) => void;
}

/** Reads the reply to one request to its end and settles the ticket. Rejects if the connection breaks. */
export type ReadReply = (reply: HttpReply, ticket: Ticket, stop: Stop) => Promise<void>;

const AFTER_ANSWER_MS = 1000;
const MAX_RESUMES = 5;
/** How many events of a reply are read at once even from a server that is paused: the answer is mostly the first. */
const UNPACED_EVENTS = 10;

export function createReplyReader(deps: ReplyReaderDeps): ReadReply {
  const { exchange, url, session, headersOf, clock, gate, room, redact, onUnreadable, onOddity } = deps;

  async function readReply(reply: HttpReply, ticket: Ticket, stop: Stop): Promise<void> {
    const type = reply.headers.get("content-type")?.toLowerCase() ?? "";
    if (type.startsWith("text/event-stream")) return readStreams(reply, ticket, stop);
    if (!type.startsWith("application/json")) {
      await drain(reply.body);
      const text = `The server answered with content type "${redact(type)}" instead of JSON or an event stream.`;
      return ticket.fail(new ConnectionError("protocol-error", text));
    }
    const seat = room.seat();
    try {
      const messages = parseMessage(await readText(reply.body, MAX_MESSAGE_BYTES, seat));
      if (messages instanceof DeepMessage) {
        onOddity("oversize");
        return ticket.replyDeep(messages);
      }
      if (messages === undefined) {
        onOddity("unreadable");
        return ticket.fail(new ConnectionError("protocol-error", "The server's answer is not valid JSON."));
      }
      for (const message of Array.isArray(messages) ? messages : [messages]) {
        const blocked = Array.isArray(messages) ? gate.blocked() : undefined;
        if (blocked !== undefined) await blocked;
        gate.took(dispatch(message, ticket, seat));
      }
    } finally {
      seat.leave();
    }
    if (!ticket.isOpen()) return;
    ticket.fail(new ConnectionError("protocol-error", "The server's answer does not belong to the request."));
  }

  /**
   * Reads the reply stream and resumes it if the server ended it early after announcing that (event id and `retry`).
   */
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
    let events = 0;
    const seat = room.seat();
    const blocked = () => (events < UNPACED_EVENTS ? undefined : gate.blocked());
    const onEvent = (event: SseEvent) => {
      events += 1;
      id = event.id ?? id;
      retryMs = event.retryMs ?? retryMs;
      const isMessage = event.event === "message" && event.data !== "";
      gate.took(isMessage ? dispatch(parseMessage(event.data), ticket, seat) : "unasked");
      // Keep reading so that the connection can be reused, but not for long: some streams stay open.
      if (!ticket.isOpen()) timer ??= setTimeout(() => body.stop(), AFTER_ANSWER_MS);
    };
    const onSkippedLine = () => {
      events += 1;
      gate.took("unasked");
    };
    try {
      await readEvents(body, MAX_MESSAGE_BYTES, { blocked, onEvent, onSkippedLine, seat });
    } finally {
      clearTimeout(timer);
      seat.leave();
    }
    return id === undefined || retryMs === undefined ? undefined : { id, retryMs };
  }

  function dispatch(message: unknown, ticket: Ticket, seat: Seat): Arrival {
    if (message instanceof DeepMessage) return takeDeep(message, ticket);
    if (!isJsonObject(message)) {
      onOddity("unreadable");
      onUnreadable();
      return "unasked";
    }
    if (isReply(message)) return takeReply(message, ticket, seat);
    const progress = progressOf(message);
    if (progress?.id !== ticket.id) {
      session().deliver(message);
      return "unasked";
    }
    ticket.progress(progress.params);
    return ticket.isWaitedFor() ? "progress" : "unasked";
  }

  function takeDeep(message: DeepMessage, ticket: Ticket): Arrival {
    onOddity("oversize");
    if (message.kind !== "answer" || message.id !== ticket.id) {
      session().refuse(message);
      return "unasked";
    }
    const isAwaited = ticket.isOpen();
    ticket.replyDeep(message);
    return isAwaited ? "answer" : "unasked";
  }

  function takeReply(message: JsonObject, ticket: Ticket, seat: Seat): Arrival {
    const isOurs = message.id === ticket.id;
    const isAwaited = isOurs && ticket.isOpen();
    if (!isOurs) onOddity("unknown-answer");
    else if (!ticket.isWaitedFor()) onOddity("late-answer");
    if (isOurs) ticket.reply(message, seat.take());
    // The SDK's requests have numeric ids, and some servers answer them on whichever stream is open.
    else if (typeof message.id === "number") session().deliver(message);
    return isAwaited ? "answer" : "unasked";
  }

  return readReply;
}
