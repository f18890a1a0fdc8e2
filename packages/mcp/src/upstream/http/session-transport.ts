import {
  type JSONRPCMessage,
  type ReconnectionScheduler,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { Clock, ConnectionError, Oddity, StopSignal } from "@tacklebox/core";
import type { Refusal } from "../causes/http-cause.ts";
import { expectsAnswer, NotMcp, type StrangeAnswer, strangeJson } from "../causes/not-mcp.ts";
import type { Site } from "../causes/site.ts";
import { boundedSdkMessage } from "../protocol/limits/outgoing-limits.ts";
import type { DeepMessage } from "../protocol/limits/parse-message.ts";
import type { MessageGate } from "../protocol/pace/message-gate.ts";
import { HEALTHY_STREAM_MS, reconnectWaitMs } from "../protocol/pace/reconnect-wait.ts";
import { refusalOf, toOpenRefusal } from "../protocol/refusal.ts";
import { toSdkMessage } from "../protocol/sdk-client.ts";
import { type HttpExchange, type HttpReply, isOk, readErrorBody } from "./http-exchange.ts";
import { createSdkFetch } from "./sdk-fetch.ts";

const STREAM_ENDED = -32000;
const TOO_MANY_REQUESTS = 429;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

export interface SessionTransportOptions {
  readonly url: URL;
  readonly exchange: HttpExchange;
  readonly clock: Clock;
  readonly gate: MessageGate;
  readonly site: Site;
  readonly onOddity: (oddity: Oddity) => void;
}

/** The SDK's Streamable HTTP transport over our exchange, for everything except our own requests. */
export class SessionTransport extends StreamableHTTPClientTransport {
  /** One of the SDK's requests lost its response stream before it was answered. */
  streamBroke = false;

  /** Set if a message for the SDK was larger than the limit. */
  oversize: ConnectionError | undefined;
  /** The last non-2xx reply. */
  refusal: Refusal | undefined;
  readonly #url: URL;
  readonly #exchange: HttpExchange;

  constructor({ url, exchange, clock, gate, site, onOddity }: SessionTransportOptions) {
    const recordRefusals: HttpExchange = async (request) => {
      const reply = await exchange(request);
      if (isOk(reply)) {
        if (!expectsAnswer(request.body)) return reply;
        const strange = await strangeContent(reply);
        if (strange === undefined) return reply;
        throw new NotMcp(strange, site);
      }
      this.refusal = refusalOf(reply, request.url, clock.now());
      // The SDK takes any 4xx for the sign of a legacy server and would send its next request at once.
      if (reply.status !== TOO_MANY_REQUESTS) return reply;
      await readErrorBody(reply.body);
      throw toOpenRefusal(this.refusal, site);
    };
    const noteOversize = (error: ConnectionError) => {
      this.oversize = error;
      onOddity("oversize");
    };
    super(url, {
      fetch: createSdkFetch(recordRefusals, gate, {
        onOversize: noteOversize,
        checkAnswer: (text) => {
          const strange = strangeJson(text);
          if (strange !== undefined) throw new NotMcp(strange, site);
        },
        onDeepMessage: (message) => {
          onOddity("oversize");
          this.refuse(message);
        },
      }),
      // The exchange already applies our redirect rule.
      redirectPolicy: "follow",
      reconnectionOptions: {
        // The scheduler below decides; with 0 here, it is given the wait the server asked for.
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
        maxRetries: Number.POSITIVE_INFINITY,
      },
      reconnectionScheduler: createReconnectionScheduler(clock),
    });
    this.#url = url;
    this.#exchange = exchange;
  }

  /**
   * Ends the session on the server. Also works once closed: a handshake that failed halfway may have started a session.
   */
  async endSession(signal: StopSignal): Promise<void> {
    const { sessionId, protocolVersion } = this;
    if (sessionId === undefined) return;
    const headers = {
      "mcp-session-id": sessionId,
      ...(protocolVersion !== undefined && { "mcp-protocol-version": protocolVersion }),
    };
    const { body } = await this.#exchange({ method: "DELETE", url: this.#url.href, headers, signal });
    body.stop();
  }

  /** Fails a request whose response stream ends early; the SDK would wait for ever. */
  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message)) return super.send(message, options);
    const bounded = boundedSdkMessage(message);
    if (!("id" in bounded) || !("method" in bounded) || options?.onRequestStreamEnd !== undefined) {
      return super.send(bounded, options);
    }
    const { id } = bounded;
    const error = { code: STREAM_ENDED, message: "The server ended the response stream before it answered." };
    const onRequestStreamEnd = () => {
      this.streamBroke = true;
      this.onmessage?.({ jsonrpc: "2.0", id, error });
    };
    return super.send(bounded, { ...options, onRequestStreamEnd });
  }

  /** Passes the SDK a message that arrived on the stream of one of our own requests. */
  deliver(value: unknown): void {
    const message = toSdkMessage(value);
    if (message !== undefined) this.onmessage?.(message);
  }

  refuse(message: DeepMessage): void {
    const answer = message.toErrorAnswer();
    if (answer === undefined) return;
    if (message.kind === "answer") this.deliver(answer);
    // If this fails, the connection is ending, and the server stops waiting with it.
    else void this.send(answer).catch(() => undefined);
  }
}

/** Reconnects less and less often to a server that keeps ending its stream, even if it asks for no wait at all. */
function createReconnectionScheduler(clock: Clock): ReconnectionScheduler {
  let failures = 0;
  let opened = clock.monotonic();
  return (reconnect, askedMs) => {
    if (clock.monotonic() - opened >= HEALTHY_STREAM_MS) failures = 0;
    const waitMs = reconnectWaitMs({ askedMs, failures, random: clock.random() });
    failures += 1;
    return clock.after(waitMs, () => {
      opened = clock.monotonic();
      reconnect();
    });
  };
}

/** What answered a request if it is neither JSON nor an event stream. */
async function strangeContent({ status, headers, body }: HttpReply): Promise<StrangeAnswer | undefined> {
  const contentType = headers.get("content-type")?.toLowerCase() ?? "";
  if (contentType.includes("json") || contentType.includes("text/event-stream")) return undefined;
  const text = await readErrorBody(body);
  return text === "" ? { kind: "nothing", status } : { kind: "content", contentType, text };
}

/** The code of a JSON-RPC error body; undefined if the body is anything else, which means this is no MCP server. */
export function rpcErrorCode(body: string): number | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== "object" || parsed === null || !("error" in parsed)) return undefined;
    const { error } = parsed;
    if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
    return typeof error.code === "number" ? error.code : undefined;
  } catch {
    return undefined;
  }
}
