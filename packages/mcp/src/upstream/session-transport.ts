import {
  type JSONRPCMessage,
  type ReconnectionScheduler,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { createExchangeFetch } from "./exchange-fetch.ts";
import type { HttpExchange, HttpReply } from "./http-exchange.ts";
import { toSdkMessage } from "./sdk-client.ts";

const SHORTEST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const STREAM_ENDED = -32000;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** The SDK's Streamable HTTP transport over our exchange, for everything except our own requests. */
export class SessionTransport extends StreamableHTTPClientTransport {
  /** A request of the SDK's lost its response stream before the answer. */
  streamBroke = false;

  constructor(url: URL, exchange: HttpExchange) {
    super(url, {
      fetch: createExchangeFetch(exchange),
      // The exchange has its own redirect rule; a second one would only repeat it.
      redirectPolicy: "follow",
      reconnectionOptions: {
        initialReconnectionDelay: SHORTEST_WAIT_MS,
        maxReconnectionDelay: LONGEST_WAIT_MS,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: Number.POSITIVE_INFINITY,
      },
      reconnectionScheduler: createReconnectionScheduler(),
    });
  }

  /** The SDK waits for ever when a response stream ends early; here the request fails instead. */
  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (!("id" in message) || !("method" in message) || options?.onRequestStreamEnd !== undefined) {
      return super.send(message, options);
    }
    const { id } = message;
    const error = { code: STREAM_ENDED, message: "The server ended the response stream before it answered." };
    const onRequestStreamEnd = () => {
      this.streamBroke = true;
      this.onmessage?.({ jsonrpc: "2.0", id, error });
    };
    return super.send(message, { ...options, onRequestStreamEnd });
  }

  /** Hands the SDK a message that arrived on the stream of one of our own requests. */
  deliver(value: unknown): void {
    const message = toSdkMessage(value);
    if (message !== undefined) this.onmessage?.(message);
  }
}

/** A server that keeps ending its stream, or asks for no wait at all, is asked less and less often. */
function createReconnectionScheduler(): ReconnectionScheduler {
  let ended = 0;
  return (reconnect, delayMs) => {
    const wait = Math.min(Math.max(delayMs, SHORTEST_WAIT_MS * 1.5 ** ended), LONGEST_WAIT_MS);
    ended += 1;
    const timer = setTimeout(reconnect, wait);
    return () => clearTimeout(timer);
  };
}

/** Whether a body is a JSON-RPC error, which tells an MCP server from any other; its code when it is. */
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

export function isOk({ status }: HttpReply): boolean {
  return status >= 200 && status < 300;
}
