import {
  type CallFinish,
  ConnectionError,
  isJsonObject,
  type JsonObject,
  type Progress,
  type StopSignal,
} from "@tacklebox/core";
import { type Deferred, deferred } from "./deferred.ts";
import { type DeepMessage, tooDeep } from "./limits/parse-message.ts";
import type { RedactServerText } from "./redact-server-text.ts";

/** One of our own JSON-RPC requests, sent alongside the SDK's traffic. */
export interface WireRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Call arguments repeated as headers, for transports that have headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: StopSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** See OutgoingCall.onRoom. */
  readonly onRoom?: ((leave: () => void) => void) | undefined;
}

export interface RequestInFlight {
  /** The result as sent. Rejects with ConnectionError only. */
  readonly answer: Promise<JsonObject>;
  /** See CallInFlight.finished. */
  readonly finished: Promise<CallFinish>;
}

/** Sends our requests over the same connection as the SDK client. */
export interface Wire {
  send(request: WireRequest): RequestInFlight;
  /** Fails everything in flight; nothing can be sent afterwards. */
  end(cause: ConnectionError): void;
}

/** Returns the `_meta` a modern server needs in every message; undefined for legacy servers. */
export type Envelope = () => JsonObject | undefined;

/** The two promises of one request and the only ways to settle them. */
export interface Ticket {
  readonly inFlight: RequestInFlight;
  readonly id: string;
  /** False once the request is settled. */
  isOpen(): boolean;
  /** False once the request is settled or its caller has cancelled. */
  isWaitedFor(): boolean;
  /** `leave` gives back the room that the message takes up, if it does. */
  reply(message: JsonObject, leave?: () => void): void;
  /** Takes an answer that is nested too deeply. */
  replyDeep(message: DeepMessage): void;
  progress(params: JsonObject): void;
  fail(error: ConnectionError): void;
}

export interface TicketEvents {
  /** Called when the caller cancels; the request itself stays open until `reply` or `fail`. */
  readonly onCancel: (ticket: Ticket) => void;
  readonly onFinished: (ticket: Ticket) => void;
  readonly redact: RedactServerText;
}

export function openTicket(id: string, request: WireRequest, events: TicketEvents): Ticket {
  return new OpenTicket(id, request, events);
}

/** A class, because there is one per call: methods are shared, where closures would be allocated each time. */
class OpenTicket implements Ticket, RequestInFlight {
  readonly id: string;
  readonly #request: WireRequest;
  readonly #events: TicketEvents;
  readonly #answer = deferred<JsonObject>();
  readonly #cancel = () => {
    this.#answer.reject(cancelled());
    this.#events.onCancel(this);
  };
  /** Undefined while the request is open. */
  #finish: CallFinish | undefined;
  /** Created on demand: only callers whose call failed read it. */
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
    // A caller that only awaits `finished` must not cause an unhandled rejection of `answer`.
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

  reply(message: JsonObject, leave?: () => void): void {
    const { onRoom } = this.#request;
    const { result, error } = message;
    // An error of null says that there is none.
    const succeeded = isJsonObject(result) && (error === undefined || error === null);
    if (leave !== undefined && onRoom !== undefined && succeeded && this.isWaitedFor()) onRoom(leave);
    else leave?.();
    if (this.#finish !== undefined) return;
    if (succeeded) this.#answer.resolve(result);
    else if (result !== undefined && result !== null) this.#answer.reject(contradiction(error, this.#events.redact));
    else this.#answer.reject(toReplyError(error, this.#events.redact));
    this.#end(succeeded ? "answered" : "unknown");
  }

  replyDeep(message: DeepMessage): void {
    // Of a list, only the entries that are nested too deeply are lost: whoever parses it sets them aside.
    if (this.#request.method.endsWith("/list")) this.reply(message.pruned());
    else this.fail(tooDeep());
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

/** A request that was never sent: both promises are already settled. */
export function failedBeforeSending(error: ConnectionError): RequestInFlight {
  const answer = Promise.reject<JsonObject>(error);
  answer.catch(() => {});
  return { answer, finished: Promise.resolve("unknown") };
}

/**
 * Serializes a request. Concatenates strings if there is nothing to merge, as for nearly every call: copying the params
 * and serializing the copy takes far longer. Ids and methods are our own and need no escaping.
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

/** If `message` is a progress notification, its params and the id of the request it is for. */
export function progressOf(message: JsonObject): { id: string; params: JsonObject } | undefined {
  if (message.method !== "notifications/progress" || !isJsonObject(message.params)) return undefined;
  const { progressToken } = message.params;
  return typeof progressToken === "string" ? { id: progressToken, params: message.params } : undefined;
}

/** The server answered with a JSON-RPC error. */
export class ReplyError extends ConnectionError {
  readonly rpcCode: number;
  /** As the server sent it, without redaction. */
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

/** The error for an answer whose result is no object, or comes with an error: nobody can tell which of them counts. */
function contradiction(error: unknown, redact: RedactServerText): ConnectionError {
  if (error === undefined || error === null) return toReplyError(error, redact);
  const detail = isJsonObject(error) && typeof error.message === "string" ? `: ${redact(error.message)}` : "";
  const text = `The server sent an answer with both a result and an error; the call may have run${detail}`;
  return new ConnectionError("protocol-error", text);
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
