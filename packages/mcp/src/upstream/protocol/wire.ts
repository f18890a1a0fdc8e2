import {
  type CallFinish,
  ConnectionError,
  isJsonObject,
  type JsonObject,
  type Progress,
  type StopSignal,
} from "@tacklebox/core";
import { type Deferred, deferred } from "./deferred.ts";
import type { RedactServerText } from "./redact-server-text.ts";

/** One JSON-RPC request of ours, outside the SDK's own traffic. */
export interface WireRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Arguments repeated as headers, for transports that have headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: StopSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface RequestInFlight {
  /** The result as sent. Rejects with ConnectionError only. */
  readonly answer: Promise<JsonObject>;
  /** See CallInFlight.finished. */
  readonly finished: Promise<CallFinish>;
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
  /** False once the request is settled. */
  isOpen(): boolean;
  /** False for a caller who gave up on it, too. */
  isWaitedFor(): boolean;
  reply(message: JsonObject): void;
  progress(params: JsonObject): void;
  fail(error: ConnectionError): void;
}

export interface TicketEvents {
  /** The caller gave up; the request itself goes on until reply or fail. */
  readonly onCancel: (ticket: Ticket) => void;
  readonly onFinished: (ticket: Ticket) => void;
  readonly redact: RedactServerText;
}

export function openTicket(id: string, request: WireRequest, events: TicketEvents): Ticket {
  return new OpenTicket(id, request, events);
}

/** A class, because every call has one: methods are shared where closures would be made anew each time. */
class OpenTicket implements Ticket, RequestInFlight {
  readonly id: string;
  readonly #request: WireRequest;
  readonly #events: TicketEvents;
  readonly #answer = deferred<JsonObject>();
  readonly #cancel = () => {
    this.#answer.reject(cancelled());
    this.#events.onCancel(this);
  };
  /** Undefined while it is open. */
  #finish: CallFinish | undefined;
  /** Made when somebody asks, which only callers do whose call failed. */
  #finished: Deferred<CallFinish> | undefined;

  constructor(id: string, request: WireRequest, events: TicketEvents) {
    this.id = id;
    this.#request = request;
    this.#events = events;
    request.signal.addEventListener("abort", this.#cancel, ONCE);
  }

  get inFlight(): RequestInFlight {
    return this;
  }

  get answer(): Promise<JsonObject> {
    return this.#answer.promise;
  }

  get finished(): Promise<CallFinish> {
    // Whoever only waits for this must not bring the process down.
    this.#answer.promise.catch(ignore);
    if (this.#finish !== undefined) return Promise.resolve(this.#finish);
    this.#finished ??= deferred();
    return this.#finished.promise;
  }

  isOpen(): boolean {
    return this.#finish === undefined;
  }

  isWaitedFor(): boolean {
    return this.isOpen() && !this.#request.signal.aborted;
  }

  reply(message: JsonObject): void {
    if (this.#finish !== undefined) return;
    const { result } = message;
    if (isJsonObject(result)) this.#answer.resolve(result);
    else this.#answer.reject(toReplyError(message.error, this.#events.redact));
    this.#end(isJsonObject(result) ? "answered" : "unknown");
  }

  progress(params: JsonObject): void {
    const progress = this.isWaitedFor() ? toProgress(params) : undefined;
    if (progress !== undefined) this.#request.onProgress?.(progress);
  }

  fail(error: ConnectionError): void {
    if (this.#finish !== undefined) return;
    this.#answer.reject(error);
    this.#end("unknown");
  }

  #end(how: CallFinish): void {
    this.#finish = how;
    this.#request.signal.removeEventListener("abort", this.#cancel);
    this.#finished?.resolve(how);
    this.#events.onFinished(this);
  }
}

const ONCE = { once: true };
const ignore = () => {};

export function cancelled(): ConnectionError {
  return new ConnectionError("cancelled", "The call was cancelled.");
}

/** A request that never started: its promises are settled from the beginning. */
export function refused(error: ConnectionError): RequestInFlight {
  const answer = Promise.reject<JsonObject>(error);
  answer.catch(() => {});
  return { answer, finished: Promise.resolve("unknown") };
}

/**
 * The request as it is sent. Written out where there is nothing to merge: nearly every call is such a request, and to copy
 * it and write the copy takes far longer. Ids and methods are ours and need no escaping.
 */
export function requestText(
  id: string,
  { method, params, onProgress }: WireRequest,
  envelope: JsonObject | undefined,
): string {
  const token = onProgress === undefined ? undefined : { progressToken: id };
  if (envelope === undefined && params._meta === undefined) {
    const given = JSON.stringify(params);
    const comma = given === "{}" ? "" : ",";
    const text = token === undefined ? given : `${given.slice(0, -1)}${comma}"_meta":{"progressToken":"${id}"}}`;
    return `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${text}}`;
  }
  if (envelope === undefined && token === undefined) return JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const given = isJsonObject(params._meta) ? params._meta : undefined;
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method,
    params: { ...params, _meta: { ...envelope, ...given, ...token } },
  });
}

export function cancelText(id: string, envelope: JsonObject | undefined): string {
  const meta = envelope === undefined ? {} : { _meta: envelope };
  const params = { requestId: id, reason: "The caller cancelled the call.", ...meta };
  return JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
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
  /** As sent: nothing is struck out of it. */
  readonly data: unknown;

  constructor(rpcCode: number, message: string, data?: unknown) {
    super("protocol-error", `MCP Error ${rpcCode}: ${message}`);
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

export function toReplyError(error: unknown, redact: RedactServerText): ConnectionError {
  if (!isJsonObject(error) || typeof error.code !== "number") {
    return new ConnectionError("protocol-error", "The server sent an answer with neither a result nor an error.");
  }
  return new ReplyError(error.code, redact(typeof error.message === "string" ? error.message : ""), error.data);
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
