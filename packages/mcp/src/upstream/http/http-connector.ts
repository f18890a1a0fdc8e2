import type { Advice, Clock, Connection, Connector, Era } from "@tacklebox/core";
import { ConnectionError, canonicalJson, systemClock } from "@tacklebox/core";
import { requireLaunch } from "../../require-launch.ts";
import { NotMcp } from "../causes/not-mcp.ts";
import { type Site, toSite } from "../causes/site.ts";
import { createServerTextRedactor } from "../protocol/redact-server-text.ts";
import { createMessageRoom, type MessageRoom } from "../protocol/room/message-room.ts";
import type { ClientInfo } from "../protocol/sdk-client.ts";
import { createFetchExchange } from "./fetch-exchange.ts";
import { addressOf, type HttpExchange } from "./http-exchange.ts";
import { openSse } from "./open-sse.ts";
import { NotStreamable, openStreamable, type RemoteOpening } from "./open-streamable.ts";
import { launchHeaders, launchUrl, requestHeaders } from "./request-headers.ts";
import type { HeaderMap } from "./session-headers.ts";

export interface HttpConnectorOptions {
  readonly clientInfo: ClientInfo;
  /** Defaults to the built-in fetch. */
  readonly exchange?: HttpExchange;
  /** Defaults to the system clock. */
  readonly clock?: Clock;
  /** The command that stores a secret, for messages about a missing sign-in. */
  readonly advice?: Pick<Advice, "storeSecret">;
  /** Shared with the connectors of other transports; of its own if absent. */
  readonly room?: MessageRoom;
}

const TRANSPORTS = ["http", "streamable-http", "sse"] as const;

/** Opens remote servers. `http` detects which of the two transports the server speaks; the others name it. */
export function createHttpConnector(connectorOptions: HttpConnectorOptions): Connector {
  const { clientInfo, exchange = createFetchExchange(), clock = systemClock } = connectorOptions;
  const { room = createMessageRoom(), advice } = connectorOptions;
  const eras = new Map<string, Era>();
  return {
    transports: TRANSPORTS,
    async open(definition, options, signal) {
      const launch = requireLaunch(definition, TRANSPORTS);
      const url = launchUrl(launch);
      const redact = createServerTextRedactor(definition);
      const opening: RemoteOpening = {
        definition,
        url,
        exchange: withHeaders(exchange, launchHeaders(launch)),
        options,
        clientInfo,
        clock,
        room,
        redact,
        site: toSite({
          address: addressOf(url.href),
          transport: launch.transport,
          storeSecret: advice?.storeSecret,
          redact,
          definition,
          target: launch,
        }),
      };
      const hint = options.knownEra ?? eras.get(canonicalJson(launch));
      try {
        const connection = await openRemote(opening, hint, signal);
        if (launch.transport !== "sse") eras.set(canonicalJson(launch), connection.info.era);
        return connection;
      } catch (error) {
        throw signal.aborted ? withLateness(error, opening.site) : error;
      }
    },
  };
}

async function openRemote(opening: RemoteOpening, hint: Era | undefined, signal: AbortSignal): Promise<Connection> {
  const { definition, site } = opening;
  if (site.transport === "sse") return openSse(opening, signal);
  try {
    return await openStreamable(opening, hint, signal);
  } catch (error) {
    if (!(error instanceof NotStreamable)) throw error;
    if (site.transport !== "http" || definition.protocol === "modern") throw error.refusal;
    return openFallback(opening, error.refusal, signal);
  }
}

function withLateness(error: unknown, { address, transport }: Site): unknown {
  if (!(error instanceof ConnectionError)) return error;
  const { code, message, retryable } = error;
  const other = transport === "sse" ? ' If it speaks the newer transport, set its transport to "http".' : "";
  const ifLate = `Check that ${address} is its address. If it is only slow, give it longer with "timeout" in its config entry.${other}`;
  return new ConnectionError(code, message, { retryable, cause: error, ifLate });
}

/**
 * Tries SSE. If that is refused too, the address is wrong and the first refusal explains it best, unless what answers
 * there is known, such as a web page.
 */
async function openFallback(opening: RemoteOpening, first: ConnectionError, signal: AbortSignal): Promise<Connection> {
  try {
    return await openSse(opening, signal);
  } catch (error) {
    if (error instanceof NotMcp) throw error;
    throw error instanceof ConnectionError && error.code === "protocol-error" ? first : error;
  }
}

function withHeaders(exchange: HttpExchange, fromLaunch: HeaderMap): HttpExchange {
  // Requests of one session share a headers object, so most merges are done already.
  const merged = new WeakMap<HeaderMap, HeaderMap>();
  return (request) => {
    const known = merged.get(request.headers);
    const headers = known ?? requestHeaders(fromLaunch, request.headers);
    if (known === undefined) merged.set(request.headers, headers);
    const { method, url, body, signal } = request;
    return exchange(body === undefined ? { method, url, headers, signal } : { method, url, headers, body, signal });
  };
}
