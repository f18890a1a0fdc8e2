import type { Clock, Connection, Connector, Era, RemoteLaunch, ServerDefinition } from "@tacklebox/core";
import { ConnectionError, canonicalJson, systemClock } from "@tacklebox/core";
import { createServerTextRedactor } from "../protocol/redact-server-text.ts";
import type { ClientInfo } from "../protocol/sdk-client.ts";
import { createFetchExchange } from "./fetch-exchange.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { openSse } from "./open-sse.ts";
import { NotStreamable, openStreamable, type RemoteOpening } from "./open-streamable.ts";
import { launchHeaders, launchUrl, requestHeaders } from "./request-headers.ts";
import type { Headers } from "./session-headers.ts";

export interface HttpConnectorOptions {
  readonly clientInfo: ClientInfo;
  /** Built-in fetch when absent. */
  readonly exchange?: HttpExchange;
  /** The system's when absent. */
  readonly clock?: Clock;
}

/** Opens remote servers: `http` finds out which transport it is (D.3), the other two are exact. */
export function createHttpConnector(parts: HttpConnectorOptions): Connector {
  const { clientInfo, exchange = createFetchExchange(), clock = systemClock } = parts;
  const eras = new Map<string, Era>();
  return {
    transports: ["http", "streamable-http", "sse"],
    async open(definition, options, signal) {
      const launch = remoteLaunch(definition);
      const opening: RemoteOpening = {
        definition,
        url: launchUrl(launch),
        exchange: withHeaders(exchange, launchHeaders(launch)),
        options,
        clientInfo,
        clock,
        redact: createServerTextRedactor(definition),
      };
      if (launch.transport === "sse") return openSse(opening, signal);
      const key = canonicalJson(launch);
      try {
        const connection = await openStreamable(opening, options.knownEra ?? eras.get(key), signal);
        eras.set(key, connection.info.era);
        return connection;
      } catch (error) {
        if (!(error instanceof NotStreamable)) throw error;
        if (launch.transport !== "http" || definition.protocol === "modern") throw error.refusal;
        return openFallback(opening, error.refusal, signal);
      }
    },
  };
}

/** When SSE is refused as well, the address is wrong and the first refusal says so best. */
async function openFallback(opening: RemoteOpening, first: ConnectionError, signal: AbortSignal): Promise<Connection> {
  try {
    return await openSse(opening, signal);
  } catch (error) {
    throw error instanceof ConnectionError && error.code === "protocol-error" ? first : error;
  }
}

function remoteLaunch({ launch }: ServerDefinition): RemoteLaunch {
  if (launch.transport === "stdio" || launch.transport === "local" || launch.transport === "custom") {
    const text = `Cannot open "${launch.transport}" here; can open: http, streamable-http, sse.`;
    throw new ConnectionError("misconfigured", text);
  }
  return launch;
}

function withHeaders(exchange: HttpExchange, ofLaunch: Headers): HttpExchange {
  // Requests of one session share their headers, so that most are merged already.
  const merged = new WeakMap<Headers, Headers>();
  return (request) => {
    const known = merged.get(request.headers);
    const headers = known ?? requestHeaders(ofLaunch, request.headers);
    if (known === undefined) merged.set(request.headers, headers);
    const { method, url, body, signal } = request;
    return exchange(body === undefined ? { method, url, headers, signal } : { method, url, headers, body, signal });
  };
}
