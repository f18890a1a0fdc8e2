import { ConnectionError, type JsonObject } from "@tacklebox/core";
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
  type Wire,
} from "./wire.ts";

export interface StreamWire extends Wire {
  /** True when the message was for one of our requests and the SDK must not see it. */
  accept(message: JsonObject): boolean;
  /** Fails one request without waiting for its answer; false when the id is not ours. */
  fail(id: string, error: ConnectionError): boolean;
}

export interface StreamWireOptions {
  /** Sends one message. Rejects with ConnectionError; throws nothing. */
  readonly post: (message: JsonObject) => Promise<void>;
  readonly envelope: Envelope;
  readonly strikeOut: StrikeOut;
}

/** Requests whose answers come back on one shared stream (stdio, legacy SSE), told apart by id. */
export function createStreamWire({ post, envelope, strikeOut }: StreamWireOptions): StreamWire {
  const tickets = new Map<string, Ticket>();
  let ended: ConnectionError | undefined;
  let count = 0;

  return {
    send(request) {
      if (request.signal.aborted) return refused(cancelled());
      if (ended !== undefined) return refused(new ConnectionError("unreachable", ended.message));
      count += 1;
      const id = `call-${count}`;
      const ticket = openTicket(id, request, {
        // Should this fail the connection is ending, and the request ends with it.
        onCancel: () => void post(cancelMessage(id, envelope())).catch(() => {}),
        onFinished: () => tickets.delete(id),
        strikeOut,
      });
      tickets.set(id, ticket);
      post(requestMessage(id, request, envelope())).catch((error: unknown) => ticket.fail(toSendError(error)));
      return ticket.inFlight;
    },
    accept(message) {
      if (isReply(message)) {
        if (typeof message.id !== "string" || !message.id.startsWith("call-")) return false;
        // Late and repeated answers find no ticket and end here.
        tickets.get(message.id)?.reply(message);
        return true;
      }
      const progress = progressOf(message);
      if (progress === undefined) return false;
      tickets.get(progress.id)?.progress(progress.params);
      return progress.id.startsWith("call-");
    },
    fail(id, error) {
      const ticket = tickets.get(id);
      ticket?.fail(error);
      return ticket !== undefined;
    },
    end(cause) {
      if (ended !== undefined) return;
      ended = cause;
      for (const ticket of [...tickets.values()]) ticket.fail(cause);
    },
  };
}

function toSendError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError("interrupted", "The request could not be sent completely.", { cause: error });
}
