import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ConnectionError, isJsonObject, type JsonObject, Stop } from "@tacklebox/core";
import { NotMcp } from "../causes/not-mcp.ts";
import type { Site } from "../causes/site.ts";
import { withCode } from "../protocol/connection-errors.ts";
import { deferred } from "../protocol/deferred.ts";
import { sdkText } from "../protocol/limits/outgoing-limits.ts";
import { oversizeAnswer, replyId } from "../protocol/limits/oversize-answer.ts";
import { DeepMessage, parseMessage } from "../protocol/limits/parse-message.ts";
import { UnreadMessages } from "../protocol/limits/unread-messages.ts";
import { MAX_MESSAGE_BYTES, oversize } from "../protocol/message-size.ts";
import type { MessageGate } from "../protocol/pace/message-gate.ts";
import { refusalOf, toCallRefusal, toOpenRefusal } from "../protocol/refusal.ts";
import type { MessageRoom, Seat } from "../protocol/room/message-room.ts";
import { toSdkMessage } from "../protocol/sdk-client.ts";
import type { Accepted } from "../protocol/stream-wire.ts";
import { isReply } from "../protocol/wire.ts";
import { drain, type HttpExchange, type HttpReply, isOk, readErrorBody } from "./http-exchange.ts";
import { readEvents, type SseEvent } from "./sse-parser.ts";

const FAILED = "SSE connection failed";
const AFTER_ANSWER_MS = 1000;

export interface SseTransportOptions {
  readonly url: URL;
  readonly exchange: HttpExchange;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly site: Site;
  /** Paces what is read from the server. */
  readonly gate: MessageGate;
  readonly room: MessageRoom;
  /** Sees every message first. `leave`: see StreamWire. */
  readonly accept: (message: JsonObject, leave?: () => void) => Accepted;
  readonly sdkSent: (message: JSONRPCMessage) => void;
  /** Called when the stream ends without close() having been called. */
  readonly onEnd: (cause: ConnectionError) => void;
  readonly onUnreadable: () => void;
  /** Called for every message that is too large or nested too deeply. */
  readonly onOversize: () => void;
  /** Fails a request of ours whose answer was dropped for its size; returns false if the id is not one of ours. */
  readonly fail: (id: string, error: ConnectionError) => boolean;
  /** Called when a message that answers nothing was dropped for its size. */
  readonly onDropped: (text: string) => void;
  /** Takes an answer that is nested too deeply; returns false if it is not for one of our requests. */
  readonly acceptDeep: (message: DeepMessage) => boolean;
}

/**
 * The HTTP+SSE transport of revision 2024-11-05. The SDK's own reconnects silently and leaves requests hanging when the
 * stream drops; here the end of the stream is the end of the connection.
 */
export class SseTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: SseTransportOptions;
  readonly #stream = new Stop();
  readonly #posts = new Map<Stop, unknown>();
  readonly #unread = new UnreadMessages();
  readonly #endpoint = deferred<string>();
  #postUrl: string | undefined;
  #protocolVersion: string | undefined;
  #ended = false;

  constructor(options: SseTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { url, exchange, site } = this.#options;
    const headers = { accept: "text/event-stream" };
    const reply = await exchange({ method: "GET", url: url.href, headers, signal: this.#stream }).catch(
      (error: unknown) => {
        throw openFailure(error);
      },
    );
    if (!isOk(reply)) {
      await readErrorBody(reply.body);
      throw toOpenRefusal(refusalOf(reply, url.href, this.#options.now()), site, `${FAILED}: `);
    }
    const contentType = reply.headers.get("content-type") ?? "";
    if (!contentType.toLowerCase().includes("text/event-stream")) {
      const answer = { kind: "content", contentType, text: await readErrorBody(reply.body) } as const;
      // Where SSE was only tried, nobody needs to know.
      const prefix = site.transport === "sse" ? `${FAILED}: ` : "";
      throw new NotMcp(answer, site, { prefix, wanted: site.transport === "sse" ? "an event stream" : "MCP" });
    }
    void this.#read(reply);
    this.#postUrl = await this.#endpoint.promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#options.sdkSent(message);
    return this.post(sdkText(message), "method" in message && "id" in message ? message.id : undefined);
  }

  /** `id` is that of a request. Rejects with ConnectionError. */
  async post(text: string, id?: unknown): Promise<void> {
    const url = this.#postUrl;
    if (url === undefined || this.#ended) throw new ConnectionError("unreachable", "The SSE stream has ended.");
    const version = this.#protocolVersion;
    const headers = {
      "content-type": "application/json",
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    };
    const signal = new Stop();
    const leave = id === undefined ? this.#enterUnread(text) : undefined;
    this.#posts.set(signal, id);
    try {
      const reply = await this.#options.exchange({
        method: "POST",
        url,
        headers,
        body: text,
        signal,
      });
      if (isOk(reply)) return await drain(reply.body);
      await readErrorBody(reply.body);
      throw toCallRefusal(refusalOf(reply, url, this.#options.now()), this.#options.site);
    } finally {
      this.#posts.delete(signal);
      leave?.();
    }
  }

  #enterUnread(text: string): () => void {
    try {
      return this.#unread.enter(text);
    } catch (error) {
      if (error instanceof ConnectionError) this.#end(withCode(error, "interrupted"));
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#finish();
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  async #read(reply: HttpReply): Promise<void> {
    let cause = new ConnectionError("interrupted", "The SSE stream ended.");
    const { gate, room } = this.#options;
    const seat = room.seat();
    try {
      await readEvents(reply.body, MAX_MESSAGE_BYTES, {
        blocked: () => gate.blocked(),
        onEvent: (event) => this.#receive(event, seat),
        onSkippedLine: () => gate.took("unasked"),
        onOversize: (head, tail) => {
          seat.leave();
          this.#receiveOversize(head, tail);
        },
        seat,
      });
    } catch (error) {
      if (error instanceof ConnectionError)
        cause = new ConnectionError("interrupted", `The SSE stream broke: ${error.message}`);
    } finally {
      seat.leave();
    }
    this.#endpoint.reject(
      new ConnectionError("unreachable", `${FAILED}: the stream ended before the server was ready.`),
    );
    this.#end(cause);
  }

  #end(cause: ConnectionError): void {
    if (this.#ended) return;
    this.#options.onEnd(cause);
    this.#finish();
  }

  #receive(event: SseEvent, seat: Seat): void {
    if (event.event === "endpoint") this.#takeEndpoint(event.data);
    const { gate } = this.#options;
    if (event.event !== "message" || event.data === "") {
      gate.took("unasked");
      return;
    }
    const message = parseMessage(event.data);
    if (message instanceof DeepMessage) {
      this.#receiveDeep(message);
      return;
    }
    if (!isJsonObject(message)) {
      gate.took("unasked");
      this.#options.onUnreadable();
      return;
    }
    if (isReply(message)) this.#endPost(message.id);
    const { arrival, isForSdk } = this.#options.accept(message, seat.take());
    gate.took(arrival);
    if (!isForSdk) return;
    const forSdk = toSdkMessage(message);
    if (forSdk !== undefined) this.onmessage?.(forSdk);
  }

  #receiveOversize(head: string, tail: string): void {
    const { gate, onOversize, fail, onDropped } = this.#options;
    const error = oversize(MAX_MESSAGE_BYTES);
    const id = replyId(head, tail);
    gate.took(id === undefined ? "unasked" : "answer");
    onOversize();
    if (id === undefined) {
      onDropped(`A message over ${MAX_MESSAGE_BYTES} bytes was dropped.`);
      return;
    }
    this.#endPost(id);
    if (typeof id !== "string" || !fail(id, error)) this.onmessage?.(oversizeAnswer(id, error));
  }

  #receiveDeep(message: DeepMessage): void {
    const { id, kind } = message;
    this.#options.onOversize();
    if (kind === "answer") this.#endPost(id);
    const isAwaited = this.#options.acceptDeep(message);
    this.#options.gate.took(isAwaited ? "answer" : "unasked");
    if (isAwaited) return;
    const answer = message.toErrorAnswer();
    if (answer === undefined) return;
    if (kind === "answer") this.onmessage?.(answer);
    // If this fails, the connection is ending, and the server stops waiting with it.
    else void this.post(JSON.stringify(answer)).catch(() => undefined);
  }

  /** Aborts a POST that is still unacknowledged some time after its answer came on the stream. */
  #endPost(id: unknown): void {
    for (const [post, of] of this.#posts) if (of === id) setTimeout(() => post.abort(), AFTER_ANSWER_MS);
  }

  #takeEndpoint(address: string): void {
    const { url } = this.#options;
    const target = URL.canParse(address, url.href) ? new URL(address, url) : undefined;
    if (target?.origin === url.origin) {
      this.#endpoint.resolve(target.href);
      return;
    }
    const text = `${FAILED}: the server names an endpoint outside ${url.origin}.`;
    this.#endpoint.reject(new ConnectionError("protocol-error", text));
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#endpoint.promise.catch(() => {});
    this.#endpoint.reject(new ConnectionError("cancelled", "Connecting was cancelled."));
    this.#stream.abort();
    for (const post of this.#posts.keys()) post.abort();
    this.onclose?.();
  }
}

function openFailure(error: unknown): unknown {
  if (!(error instanceof ConnectionError) || error.code === "cancelled") return error;
  return withCode(error, error.code, `${FAILED}: `);
}
