import type { JsonObject } from "@tacklebox/core";
import type { DeepMessage } from "../protocol/limits/parse-message.ts";
import { encodeHeaderValue } from "../protocol/param-headers.ts";
import type { WireRequest } from "../protocol/wire.ts";

export type HeaderMap = Readonly<Record<string, string>>;

/** The current session with the server; replaced as a whole when it is renewed. */
export interface HttpSession {
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
  /** Passes a message to the SDK client. */
  deliver(message: unknown): void;
  /** Tells whoever waits that a message cannot be used: the SDK client for an answer, the server for its question. */
  refuse(message: DeepMessage): void;
}

/** Builds the headers common to all requests of a session, once per session. */
export function rememberHeaders(): (session: HttpSession) => HeaderMap {
  let known: { sessionId: string | undefined; protocolVersion: string | undefined; headers: HeaderMap } | undefined;
  return ({ sessionId, protocolVersion }) => {
    const isSame = known?.sessionId === sessionId && known?.protocolVersion === protocolVersion;
    if (known !== undefined && isSame) return known.headers;
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
      ...(protocolVersion === undefined ? {} : { "mcp-protocol-version": protocolVersion }),
    };
    known = { sessionId, protocolVersion, headers };
    return headers;
  };
}

/** The headers that tell a modern server about a message without parsing its body. */
export function modernHeaders(request: WireRequest, envelope: JsonObject | undefined): HeaderMap | undefined {
  if (envelope === undefined) return undefined;
  const name = request.method === "resources/read" ? request.params.uri : request.params.name;
  return {
    ...request.headers,
    "mcp-method": request.method,
    ...(typeof name === "string" ? { "mcp-name": encodeHeaderValue(name) } : {}),
  };
}
