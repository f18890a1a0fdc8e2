import type { JsonObject } from "@tacklebox/core";
import { encodeHeaderValue } from "../protocol/param-headers.ts";
import type { WireRequest } from "../protocol/wire.ts";

export type Headers = Readonly<Record<string, string>>;

/** What identifies us to the server right now; replaced as a whole when the session is renewed. */
export interface HttpSession {
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
  deliver(message: unknown): void;
}

/** The headers of every request in a session, put together once. */
export function rememberHeaders(): (session: HttpSession) => Headers {
  let known: { sessionId: string | undefined; protocolVersion: string | undefined; headers: Headers } | undefined;
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

/** What a modern server wants to read of a message without opening it. */
export function modernHeaders(request: WireRequest, envelope: JsonObject | undefined): Headers | undefined {
  if (envelope === undefined) return undefined;
  const name = request.method === "resources/read" ? request.params.uri : request.params.name;
  return {
    ...request.headers,
    "mcp-method": request.method,
    ...(typeof name === "string" ? { "mcp-name": encodeHeaderValue(name) } : {}),
  };
}
