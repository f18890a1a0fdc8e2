import type { Client, Transport, VersionNegotiationOptions } from "@modelcontextprotocol/client";
import type { ConnectionError, Era, ProtocolChoice } from "@tacklebox/core";
import { untilAborted } from "./abort.ts";
import { toStopError } from "./connection-errors.ts";
import { MODERN_VERSION, NO_TIMEOUT_MS } from "./sdk-client.ts";

/** How long a server may take to answer the probe for its protocol revision. */
const PROBE_MS = 5000;
/** A server that spoke modern last time gets longer, so that a slow start does not downgrade it. */
const KNOWN_MODERN_PROBE_MS = 10_000;

export interface Negotiation<T extends Transport> {
  readonly protocol: ProtocolChoice;
  readonly hint: Era | undefined;
  readonly createClient: (versionNegotiation: VersionNegotiationOptions) => Client;
  /** Creates a transport that is not started yet; called once per attempt. */
  readonly createTransport: (client: Client) => T;
  /** Cleans up after a failed attempt, before its transport is closed. */
  readonly abandon?: (transport: T) => Promise<void>;
  readonly explain: (error: unknown, transport: T) => ConnectionError;
  /** Whether the probe itself broke the attempt, as it does with some older servers. */
  readonly brokeOnProbe: (error: unknown, transport: T) => boolean;
  /** Whether the failure may come from speaking the wrong revision. */
  readonly doubtsEra: (error: ConnectionError, transport: T) => boolean;
}

export interface Negotiated<T extends Transport> {
  readonly client: Client;
  readonly transport: T;
}

type Plan = { kind: "legacy" } | { kind: "modern" } | { kind: "auto"; probeMs: number };
type Attempt<T extends Transport> =
  | { kind: "ready"; ready: Negotiated<T> }
  | { kind: "failed"; error: ConnectionError; brokeOnProbe: boolean; doubtsEra: boolean };

/** Connects in the era the server speaks, with as few attempts as its answers allow. */
export async function negotiate<T extends Transport>(
  negotiation: Negotiation<T>,
  signal: AbortSignal,
): Promise<Negotiated<T>> {
  if (negotiation.protocol !== "auto")
    return readyOrThrow(await attempt(negotiation, { kind: negotiation.protocol }, signal));
  if (negotiation.hint === "legacy") {
    const hinted = await attempt(negotiation, { kind: "legacy" }, signal);
    if (hinted.kind === "ready" || !hinted.doubtsEra) return readyOrThrow(hinted);
  }
  const probeMs = negotiation.hint === "modern" ? KNOWN_MODERN_PROBE_MS : PROBE_MS;
  const asked = await attempt(negotiation, { kind: "auto", probeMs }, signal);
  if (asked.kind === "ready" || !asked.brokeOnProbe) return readyOrThrow(asked);
  return readyOrThrow(await attempt(negotiation, { kind: "legacy" }, signal));
}

async function attempt<T extends Transport>(
  negotiation: Negotiation<T>,
  plan: Plan,
  signal: AbortSignal,
): Promise<Attempt<T>> {
  const client = negotiation.createClient(versionNegotiation(plan));
  const transport = negotiation.createTransport(client);
  try {
    if (signal.aborted) throw toStopError(signal);
    await untilAborted(client.connect(transport, { timeout: NO_TIMEOUT_MS, signal }), signal);
    return { kind: "ready", ready: { client, transport } };
  } catch (error) {
    const explained = signal.aborted ? toStopError(signal) : negotiation.explain(error, transport);
    const brokeOnProbe = plan.kind === "auto" && !signal.aborted && negotiation.brokeOnProbe(error, transport);
    const doubtsEra = !signal.aborted && negotiation.doubtsEra(explained, transport);
    await negotiation.abandon?.(transport);
    await transport.close();
    return { kind: "failed", error: explained, brokeOnProbe, doubtsEra };
  }
}

function versionNegotiation(plan: Plan): VersionNegotiationOptions {
  if (plan.kind === "legacy") return { mode: "legacy" };
  if (plan.kind === "modern") return { mode: { pin: MODERN_VERSION } };
  return { mode: "auto", probe: { timeoutMs: plan.probeMs } };
}

function readyOrThrow<T extends Transport>(result: Attempt<T>): Negotiated<T> {
  if (result.kind === "ready") return result.ready;
  throw result.error;
}
