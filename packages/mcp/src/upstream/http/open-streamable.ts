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
import type { Site } from "../causes/site.ts";
import { createConnection } from "../protocol/connection.ts";
import { toOpenError, withCode } from "../protocol/connection-errors.ts";
import { listenForChanges } from "../protocol/keep-listening.ts";
import { UnreadMessages } from "../protocol/limits/unread-messages.ts";
import { type Negotiated, type Negotiation, negotiate } from "../protocol/negotiate.ts";
import { MessageGate } from "../protocol/pace/message-gate.ts";
import type { RedactServerText } from "../protocol/redact-server-text.ts";
import type { MessageRoom } from "../protocol/room/message-room.ts";
import { type ClientInfo, createSdkClient, describeServer, envelopeOf } from "../protocol/sdk-client.ts";
import { createServerQuestions } from "../protocol/server-questions.ts";
import { createListenSubscriptions, createRequestSubscriptions } from "../protocol/subscriptions.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { createPostWire } from "./post-wire.ts";
import { createRenewableSession } from "./renewable-session.ts";
import { rpcErrorCode, SessionTransport } from "./session-transport.ts";

export interface RemoteOpening {
  readonly definition: ServerDefinition;
  readonly url: URL;
  /** Sends the definition's headers and authentication with every request. */
  readonly exchange: HttpExchange;
  readonly options: OpenOptions;
  readonly clientInfo: ClientInfo;
  readonly clock: Clock;
  readonly room: MessageRoom;
  readonly redact: RedactServerText;
  readonly site: Site;
}

/** The server refused in a way that suggests it does not support Streamable HTTP. */
export class NotStreamable extends Error {
  readonly refusal: ConnectionError;

  constructor(refusal: ConnectionError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

const END_SESSION_MS = 1000;

export async function openStreamable(
  opening: RemoteOpening,
  hint: Era | undefined,
  signal: AbortSignal,
): Promise<Connection> {
  const { definition, url, options, clientInfo, clock, redact, site } = opening;
  const questions = createServerQuestions(definition.key, options, redact);
  const clientDeps = { clientInfo, options, questions, redact };
  const lifetime = new AbortController();
  let state: "opening" | "open" | "closed" = "opening";
  const reportClosed = (cause: string) => {
    if (state !== "open") return;
    state = "closed";
    lifetime.abort();
    options.onClosed(cause);
  };
  const exchange = watchReachability(opening.exchange, reportClosed);
  const onOddity = (oddity: Oddity) => options.onOddity?.(oddity);
  const gate = new MessageGate({
    clock,
    onFlood: (flood) => options.onFlood?.(flood),
    onEnded(cause) {
      if (state !== "open") return;
      wire.end(cause);
      reportClosed(cause.message);
      void release().catch(() => undefined);
    },
  });
  const ofSdk = watchReachability(limitUnread(opening.exchange), reportClosed);
  const createTransport = () => new SessionTransport({ url, exchange: ofSdk, clock, gate, site, onOddity });

  const { client, transport } = await negotiateStreamable(
    opening,
    hint,
    gate,
    { createClient: (versions) => createSdkClient(clientDeps, versions), createTransport },
    signal,
  );
  const session = createRenewableSession(transport, {
    client,
    createTransport,
    timeoutMs: definition.timeoutMs,
    clock,
    redact,
    site,
    lifetime: lifetime.signal,
    onRenewed: reportChanges,
    onFailed: ({ message }) => reportClosed(`The session was lost and could not be renewed: ${message}`),
  });
  const wire = createPostWire({
    exchange,
    url: url.href,
    session: session.current,
    renewSession: session.renew,
    envelope: () => envelopeOf(client, clientDeps),
    clock,
    gate,
    room: opening.room,
    redact,
    site,
    onUnreadable: () => options.onServerLog?.("Failed to parse SSE message"),
    onOddity,
  });

  function reportChanges(): void {
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
      ? createListenSubscriptions({ client, onMissed, clock, redact, site, lifetime: lifetime.signal })
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
      await release();
    },
  });

  async function release(): Promise<void> {
    await endSession(session.current(), clock);
    await client.close();
    await session.current().close();
  }
}

async function negotiateStreamable(
  { definition, clock, redact, site }: RemoteOpening,
  hint: Era | undefined,
  gate: MessageGate,
  factories: Pick<Negotiation<SessionTransport>, "createClient" | "createTransport">,
  signal: AbortSignal,
): Promise<Negotiated<SessionTransport>> {
  let refusedAsUnknown = false;
  const negotiation: Negotiation<SessionTransport> = {
    ...factories,
    protocol: definition.protocol,
    hint,
    abandon: (transport) => endSession(transport, clock),
    explain: (error, used) => {
      refusedAsUnknown = isUnknownTransport(error);
      if (used.oversize !== undefined) return used.oversize;
      if (gate.ended !== undefined) return withCode(gate.ended, "unreachable");
      if (used.streamBroke)
        return new ConnectionError("unreachable", "The server ended the response stream before it answered.");
      return toOpenError(error, { protocol: definition.protocol, redact, http: { site, refusal: used.refusal } });
    },
    brokeOnProbe,
    doubtsEra: (error) => error.code === "protocol-error" && !refusedAsUnknown,
  };
  try {
    return await negotiate(negotiation, signal);
  } catch (error) {
    throw refusedAsUnknown && error instanceof ConnectionError && !signal.aborted ? new NotStreamable(error) : error;
  }
}

async function endSession(transport: SessionTransport, clock: Clock): Promise<void> {
  const late = new AbortController();
  const cancelTimeout = clock.after(END_SESSION_MS, () => late.abort());
  // A failure no longer matters to anyone.
  await transport.endSession(late.signal).catch(() => undefined);
  cancelTimeout();
}

/** Reports the server as closed once it is unreachable, since there is no permanent stream whose end would show it. */
function watchReachability(exchange: HttpExchange, reportClosed: (cause: string) => void): HttpExchange {
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

/** For what the SDK sends, which is mostly answers to the server: one that takes none of them is as good as gone. */
function limitUnread(exchange: HttpExchange): HttpExchange {
  const unread = new UnreadMessages();
  return async (request) => {
    const leave = request.method === "POST" ? unread.enter(request.body ?? "") : undefined;
    try {
      return await exchange(request);
    } finally {
      leave?.();
    }
  };
}

/** Some servers answer an unknown method with 5xx, or not at all, instead of a JSON-RPC error. */
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
