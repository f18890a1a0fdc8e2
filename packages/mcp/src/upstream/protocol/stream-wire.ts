import { ConnectionError, FreeList, type JsonObject, type Oddity } from "@tacklebox/core";
import { boundedText } from "./limits/outgoing-limits.ts";
import type { DeepMessage } from "./limits/parse-message.ts";
import type { Arrival } from "./pace/message-gate.ts";
import type { RedactServerText } from "./redact-server-text.ts";
import { createSdkRequests } from "./sdk-requests.ts";
import {
  cancelled,
  cancelText,
  type Envelope,
  failedBeforeSending,
  isReply,
  openTicket,
  progressOf,
  requestText,
  type Ticket,
  type TicketEvents,
  type Wire,
} from "./wire.ts";

/** What a message is, and whether the SDK must see it: not if it is about our requests, or answers no known one. */
export interface Accepted {
  readonly arrival: Arrival;
  readonly isForSdk: boolean;
}

const ANSWER: Accepted = { arrival: "answer", isForSdk: false };
const PROGRESS: Accepted = { arrival: "progress", isForSdk: false };
const STRAY: Accepted = { arrival: "unasked", isForSdk: false };
const SDK_ANSWER: Accepted = { arrival: "answer", isForSdk: true };
const SDK_MESSAGE: Accepted = { arrival: "unasked", isForSdk: true };

export interface StreamWire extends Wire {
  /**
   * Must be called with every message from the server, before the SDK sees it. `leave` gives back the room that the
   * message takes up, if it does.
   */
  accept(message: JsonObject, leave?: () => void): Accepted;
  /** Takes an answer that is nested too deeply; returns false if it is not for one of our requests. */
  acceptDeep(message: DeepMessage): boolean;
  /** Must be called with every message the SDK sends over the same stream. */
  sdkSent(message: object): void;
  /** Fails one request without waiting for its answer; returns false if the id is not ours. */
  fail(id: string, error: ConnectionError): boolean;
}

export interface StreamWireOptions {
  /**
   * Sends one message; `id` is set for requests. Never throws; rejects with ConnectionError. Returns undefined instead
   * of a promise if sending can no longer fail.
   */
  readonly post: (text: string, id?: string) => Promise<void> | undefined;
  readonly envelope: Envelope;
  readonly redact: RedactServerText;
  readonly onOddity?: ((oddity: Oddity) => void) | undefined;
}

/** Sends requests whose answers come back on one shared stream (stdio, legacy SSE), matched by id. */
export function createStreamWire({ post, envelope, redact, onOddity }: StreamWireOptions): StreamWire {
  const tickets = new FreeList<Ticket>();
  const sdkRequests = createSdkRequests();
  let ended: ConnectionError | undefined;
  let count = 0;

  function find(id: string): Ticket | undefined {
    const ticket = tickets.at(slotOf(id));
    return ticket?.id === id ? ticket : undefined;
  }

  /** Ids are sequential, so used ones need not be remembered. */
  function wasUsed(id: string): boolean {
    const [, number = "", slot = ""] = /^call-(\d+)-(\d+)$/.exec(id) ?? [];
    return Number(number) >= 1 && Number(number) <= count && id === idOf(Number(number), Number(slot));
  }

  /** Reports an oddity, unless we have closed: answers to abandoned requests are then expected. */
  function report(oddity: Oddity): void {
    if (ended === undefined) onOddity?.(oddity);
  }

  const events: TicketEvents = {
    // If this fails, the connection is ending and the request ends with it.
    onCancel: ({ id }) => void post(cancelText(id, envelope()))?.catch(() => {}),
    onFinished: ({ id }) => tickets.free(slotOf(id)),
    redact,
  };

  return {
    send(request) {
      if (request.signal.aborted) return failedBeforeSending(cancelled());
      if (ended !== undefined) return failedBeforeSending(new ConnectionError("unreachable", ended.message));
      count += 1;
      const ticket = tickets.fill((slot) => openTicket(idOf(count, slot), request, events));
      const { id } = ticket;
      const text = boundedText(() => requestText(id, request, envelope()));
      if (typeof text === "string") post(text, id)?.catch((error: unknown) => ticket.fail(toSendError(error)));
      else ticket.fail(text);
      return ticket.inFlight;
    },
    sdkSent: sdkRequests.sent,
    accept(message, leave) {
      const progress = progressOf(message);
      if (progress !== undefined) {
        leave?.();
        const ticket = find(progress.id);
        ticket?.progress(progress.params);
        if (ticket?.isWaitedFor() === true) return PROGRESS;
        return progress.id.startsWith("call-") ? STRAY : SDK_MESSAGE;
      }
      const { id, method } = message;
      if (method === undefined && typeof id === "string" && id.startsWith("call-")) {
        const ticket = find(id);
        if (ticket === undefined) {
          leave?.();
          report(wasUsed(id) ? "late-answer" : "unknown-answer");
          return STRAY;
        }
        if (!ticket.isWaitedFor()) report("late-answer");
        ticket.reply(message, leave);
        return ANSWER;
      }
      leave?.();
      if (!isReply(message)) return SDK_MESSAGE;
      const answered = sdkRequests.answered(id);
      if (answered === "expected") return SDK_ANSWER;
      report(answered);
      return STRAY;
    },
    acceptDeep(message) {
      const ticket = message.kind === "answer" ? find(String(message.id)) : undefined;
      ticket?.replyDeep(message);
      return ticket !== undefined;
    },
    fail(id, error) {
      const ticket = find(id);
      ticket?.fail(error);
      return ticket !== undefined;
    },
    end(cause) {
      if (ended !== undefined) return;
      ended = cause;
      for (const ticket of tickets.values()) ticket.fail(cause);
    },
  };
}

/** The count keeps ids unique; the slot number makes the ticket quick to find. */
function idOf(count: number, slot: number): string {
  return `call-${count}-${slot}`;
}

function slotOf(id: string): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

function toSendError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError("interrupted", "The request could not be sent completely.", { cause: error });
}
