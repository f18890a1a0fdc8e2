import {
  type Client,
  type McpSubscription,
  ProtocolError,
  ProtocolErrorCode,
  type SubscriptionFilter,
} from "@modelcontextprotocol/client";
import { type Clock, delay, type OpenOptions } from "@tacklebox/core";
import { HEALTHY_STREAM_MS, reconnectWaitMs } from "./pace/reconnect-wait.ts";

const ACKNOWLEDGE_MS = 10_000;

export interface ListenOptions {
  readonly filter: SubscriptionFilter;
  /** A subscription that is already open, used first. */
  readonly first?: McpSubscription;
  readonly clock: Clock;
  /** Called when the subscription is open again after a gap: a change may have gone unnoticed. */
  readonly onMissed: () => void;
}

export function listenOnce(client: Client, filter: SubscriptionFilter, signal: AbortSignal): Promise<McpSubscription> {
  return client.listen(filter, { timeout: ACKNOWLEDGE_MS, signal });
}

/**
 * Keeps a modern server's change notifications coming until the signal aborts.
 * The SDK opens a subscription but does not reopen it when the server or the network ends it.
 */
export async function keepListening(client: Client, options: ListenOptions, signal: AbortSignal): Promise<void> {
  const { filter, first, clock, onMissed } = options;
  let failures = 0;
  let missed = false;
  let ready = first;
  while (!signal.aborted) {
    const since = clock.monotonic();
    try {
      const subscription = ready ?? (await listenOnce(client, filter, signal));
      ready = undefined;
      if (missed) onMissed();
      await subscription.closed;
    } catch (error) {
      if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return;
    }
    missed = true;
    // Judged by how long it lived, not by whether it opened: a server may keep accepting and ending at once.
    failures = clock.monotonic() - since < HEALTHY_STREAM_MS ? failures : 0;
    await delay(reconnectWaitMs({ failures, random: clock.random() }), clock, signal);
    failures += 1;
  }
}

/** Listens for every kind of list change that a modern server declared it announces. */
export function listenForChanges(client: Client, options: OpenOptions, clock: Clock, signal: AbortSignal): void {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  const filter: SubscriptionFilter = {
    ...(tools?.listChanged === true && { toolsListChanged: true }),
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
  };
  if (Object.keys(filter).length === 0) return;
  const onMissed = () => {
    if (filter.toolsListChanged) options.onToolsChanged();
    if (filter.resourcesListChanged) options.onOffersChanged?.("resources");
    if (filter.promptsListChanged) options.onOffersChanged?.("prompts");
  };
  void keepListening(client, { filter, clock, onMissed }, signal);
}
