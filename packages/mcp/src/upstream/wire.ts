import { ConnectionError, isJsonObject, type JsonObject, type Progress } from "@tacklebox/core";
import { deferred } from "./deferred.ts";
import type { StrikeOut } from "./strike-out.ts";

/** One JSON-RPC request of ours, outside the SDK's own traffic. */
export interface WireRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Arguments repeated as headers, for transports that have headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface RequestInFlight {
  /** The result as sent. Rejects with ConnectionError only. */
  readonly answer: Promise<JsonObject>;
  /** See CallInFlight.finished. */
  readonly finished: Promise<void>;
}

/** Sends requests side by side with the SDK client over the same connection. */
export interface Wire {
  send(request: WireRequest): RequestInFlight;
  /** Fails everything in flight; nothing can be sent afterwards. */
  end(cause: ConnectionError): void;
}

/** What a modern server wants in `_meta` of every message; nothing for legacy servers. */
export type Envelope = () => JsonObject | undefined;

/** The two promises of one request and the only ways to settle them. */
export interface Ticket {
  readonly inFlight: RequestInFlight;
  readonly id: string;
  reply(message: JsonObject): void;
  progress(params: JsonObject): void;
  fail(error: ConnectionError): void;
}

export interface TicketEvents {
  /** The caller gave up; the request itself goes on until reply or fail. */
  readonly onCancel: (ticket: Ticket) => void;
  readonly onFinished: (ticket: Ticket) => void;
  readonly strikeOut: StrikeOut;
}

export function openTicket(id: string, request: WireRequest, events: TicketEvents): Ticket {
  const answer = deferred<JsonObject>();
  const finished = deferred<void>();
  let open = true;

  const finish = () => {
    open = false;
    request.signal.removeEventListener("abort", cancel);
    finished.resolve();
    events.onFinished(ticket);
  };
  const cancel = () => {
    answer.reject(cancelled());
    events.onCancel(ticket);
  };
  const ticket: Ticket = {
    id,
    inFlight: { answer: answer.promise, finished: finished.promise },
    reply(message) {
      if (!open) return;
      if (isJsonObject(message.result)) answer.resolve(message.result);
      else answer.reject(toReplyError(message.error, events.strikeOut));
      finish();
    },
    progress(params) {
      const progress = open && !request.signal.aborted ? toProgress(params) : undefined;
      if (progress !== undefined) request.onProgress?.(progress);
    },
    fail(error) {
      if (!open) return;
      answer.reject(error);
      finish();
    },
  };
  // Whoever only waits for `finished` must not bring the process down.
  answer.promise.catch(() => {});
  request.signal.addEventListener("abort", cancel, { once: true });
  return ticket;
}

export function cancelled(): ConnectionError {
  return new ConnectionError("cancelled", "The call was cancelled.");
}

/** A request that never started: its promises are settled from the beginning. */
export function refused(error: ConnectionError): RequestInFlight {
  const answer = Promise.reject<JsonObject>(error);
  answer.catch(() => {});
  return { answer, finished: Promise.resolve() };
}

export function requestMessage(id: string, request: WireRequest, envelope: JsonObject | undefined): JsonObject {
  const token = request.onProgress === undefined ? {} : { progressToken: id };
  const given = isJsonObject(request.params._meta) ? request.params._meta : {};
  const meta = { ...envelope, ...given, ...token };
  const params = Object.keys(meta).length === 0 ? request.params : { ...request.params, _meta: meta };
  return { jsonrpc: "2.0", id, method: request.method, params };
}

export function cancelMessage(id: string, envelope: JsonObject | undefined): JsonObject {
  const meta = envelope === undefined ? {} : { _meta: envelope };
  const params = { requestId: id, reason: "The caller cancelled the call.", ...meta };
  return { jsonrpc: "2.0", method: "notifications/cancelled", params };
}

export function isReply(message: JsonObject): boolean {
  return message.method === undefined && (message.result !== undefined || message.error !== undefined);
}

/** What a progress notification says and which of our requests it is for, when `message` is one. */
export function progressOf(message: JsonObject): { id: string; params: JsonObject } | undefined {
  if (message.method !== "notifications/progress" || !isJsonObject(message.params)) return undefined;
  const { progressToken } = message.params;
  return typeof progressToken === "string" ? { id: progressToken, params: message.params } : undefined;
}

/** The server answered with a JSON-RPC error. */
export class ReplyError extends ConnectionError {
  readonly rpcCode: number;

  constructor(rpcCode: number, message: string) {
    super("protocol-error", `MCP Error ${rpcCode}: ${message}`);
    this.rpcCode = rpcCode;
  }
}

export function toReplyError(error: unknown, strikeOut: StrikeOut): ConnectionError {
  if (!isJsonObject(error) || typeof error.code !== "number") {
    return new ConnectionError("protocol-error", "The server sent an answer with neither a result nor an error.");
  }
  return new ReplyError(error.code, strikeOut(typeof error.message === "string" ? error.message : ""));
}

function toProgress(params: JsonObject): Progress | undefined {
  const { progress, total, message } = params;
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}
