import { SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import {
  type Clock,
  type Connection,
  ConnectionError,
  type Era,
  type Oddity,
  type OpenOptions,
  type ServerDefinition,
} from "@tacklebox/core";
import { untilAborted } from "../protocol/abort.ts";
import { createConnection } from "../protocol/connection.ts";
import { toOpenError } from "../protocol/connection-errors.ts";
import { listenForChanges } from "../protocol/keep-listening.ts";
import { negotiate } from "../protocol/negotiate.ts";
import type { RedactServerText } from "../protocol/redact-server-text.ts";
import { type ClientInfo, createSdkClient, describeServer, envelopeOf, NO_TIMEOUT_MS } from "../protocol/sdk-client.ts";
import { createServerQuestions } from "../protocol/server-questions.ts";
import { createListenSubscriptions, createRequestSubscriptions } from "../protocol/subscriptions.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { createPostWire } from "./post-wire.ts";
import { rpcErrorCode, SessionTransport } from "./session-transport.ts";

export interface RemoteOpening {
  readonly definition: ServerDefinition;
  readonly url: URL;
  /** Sends the definition's headers and authentication with every request. */
  readonly exchange: HttpExchange;
  readonly options: OpenOptions;
  readonly clientInfo: ClientInfo;
  readonly clock: Clock;
  readonly redact: RedactServerText;
}

/** The server refused the way an address does that knows nothing of Streamable HTTP (D.3). */
export class NotStreamable extends Error {
  readonly refusal: ConnectionError;

  constructor(refusal: ConnectionError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

const GOODBYE_MS = 1000;

export async function openStreamable(
  opening: RemoteOpening,
  hint: Era | undefined,
  signal: AbortSignal,
): Promise<Connection> {
  const { definition, url, options, clientInfo, clock, redact } = opening;
  const questions = createServerQuestions(definition.key, options, redact);
  const clientParts = { clientInfo, options, questions, redact };
  const lifetime = new AbortController();
  let state: "opening" | "open" | "closed" = "opening";
  const reportClosed = (cause: string) => {
    if (state !== "open") return;
    state = "closed";
    lifetime.abort();
    options.onClosed(cause);
  };
  const exchange = watchReach(opening.exchange, reportClosed);
  const onOddity = (oddity: Oddity) => options.onOddity?.(oddity);
  const createTransport = () => new SessionTransport({ url, exchange, clock, onOddity });

  async function sayGoodbye(to: SessionTransport): Promise<void> {
    const late = new AbortController();
    const withdraw = clock.after(GOODBYE_MS, () => late.abort());
    // Nobody is left whom it would matter to that the server did not hear it.
    await to.endSession(late.signal).catch(() => undefined);
    withdraw();
  }

  let refusedAsUnknown = false;
  const { client, transport } = await negotiate(
    {
      protocol: definition.protocol,
      hint,
      createClient: (versions) => createSdkClient(clientParts, versions),
      createTransport,
      abandon: sayGoodbye,
      explain: (error, used) => {
        refusedAsUnknown = isUnknownTransport(error);
        if (used.oversize !== undefined) return used.oversize;
        if (used.streamBroke)
          return new ConnectionError("unreachable", "The server ended the response stream before it answered.");
        return toOpenError(error, redact, used.refusal);
      },
      brokeOnProbe,
      doubtsEra: (error) => error.code === "protocol-error" && !refusedAsUnknown,
    },
    signal,
  ).catch((error: unknown) => {
    throw refusedAsUnknown && error instanceof ConnectionError && !signal.aborted ? new NotStreamable(error) : error;
  });

  let current = transport;
  let renewing: Promise<void> | undefined;
  const wire = createPostWire({
    exchange,
    url: url.href,
    session: () => current,
    renewSession: (stale) => {
      if (stale !== current) return Promise.resolve();
      renewing ??= renewSession().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
    envelope: () => envelopeOf(client, clientParts),
    clock,
    redact,
    onUnreadable: () => options.onServerLog?.("Failed to parse SSE message"),
    onOddity,
  });

  async function renewSession(): Promise<void> {
    const next = createTransport();
    const bound = AbortSignal.any([lifetime.signal, AbortSignal.timeout(definition.timeoutMs)]);
    try {
      await current.close();
      const prior = { kind: "legacy" } as const;
      await untilAborted(client.connect(next, { prior, timeout: NO_TIMEOUT_MS, signal: bound }), bound);
    } catch (error) {
      await next.close();
      const explained = bound.aborted
        ? new ConnectionError("unreachable", "The server did not answer in time.")
        : toOpenError(error, redact, next.refusal);
      reportClosed(`The session was lost and could not be renewed: ${explained.message}`);
      throw explained;
    }
    current = next;
    subscriptions.renew();
    // A server that forgot its sessions may have been replaced by another version.
    options.onToolsChanged();
    if (info.capabilities.resources !== undefined) options.onOffersChanged?.("resources");
    if (info.capabilities.prompts !== undefined) options.onOffersChanged?.("prompts");
  }

  const info = describeServer(client, "streamable-http", definition.name);
  const onMissed = (uri: string) => options.onResourceUpdated?.(uri);
  const subscriptions =
    info.era === "modern"
      ? createListenSubscriptions({ client, onMissed, clock, redact, lifetime: lifetime.signal })
      : createRequestSubscriptions(wire, onMissed);
  state = "open";
  if (info.era === "modern") listenForChanges(client, options, clock, lifetime.signal);
  return createConnection({
    info,
    wire,
    subscriptions,
    questions,
    onServerLog: (line) => options.onServerLog?.(line),
    async stop() {
      state = "closed";
      lifetime.abort();
      await sayGoodbye(current);
      await client.close();
      await current.close();
    },
  });
}

/** There is no permanent stream whose end would tell: a server that refuses connections is gone. */
function watchReach(exchange: HttpExchange, reportClosed: (cause: string) => void): HttpExchange {
  return async (request) => {
    try {
      return await exchange(request);
    } catch (error) {
      if (error instanceof ConnectionError && error.code === "unreachable" && !error.isOurs)
        reportClosed(error.message);
      throw error;
    }
  };
}

/** Some servers answer an unknown method with 5xx, or not at all, where an error was due. */
function brokeOnProbe(error: unknown, transport: SessionTransport): boolean {
  if (transport.refusal?.retryAfterMs !== undefined) return false;
  if (error instanceof SdkHttpError) return error.code === SdkErrorCode.EraNegotiationFailed && error.status >= 500;
  return transport.streamBroke || (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout);
}

function isUnknownTransport(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  const { status, data } = error;
  if (status !== 400 && status !== 404 && status !== 405) return false;
  const text: unknown = data.text;
  return rpcErrorCode(typeof text === "string" ? text : "") === undefined;
}
