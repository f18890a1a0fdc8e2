import {
  type Client,
  type McpSubscription,
  ProtocolError,
  ProtocolErrorCode,
  type SubscriptionFilter,
} from "@modelcontextprotocol/client";
import type { OpenOptions } from "@tacklebox/core";
import { pause } from "./abort.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const ACKNOWLEDGE_MS = 10_000;

export interface Listening {
  readonly filter: SubscriptionFilter;
  /** A subscription that is open already. */
  readonly first?: McpSubscription;
  /** Nothing was heard for a while: whatever is listened for may have happened. */
  readonly onMissed: () => void;
}

export function listenOnce(client: Client, filter: SubscriptionFilter, signal: AbortSignal): Promise<McpSubscription> {
  return client.listen(filter, { timeout: ACKNOWLEDGE_MS, signal });
}

/**
 * Keeps a modern server's change notifications coming until the signal aborts.
 * The SDK opens a subscription but does not open it again when the server or the network ends it.
 */
export async function keepListening(client: Client, listening: Listening, signal: AbortSignal): Promise<void> {
  const { filter, first, onMissed } = listening;
  let waitMs = FIRST_WAIT_MS;
  let missed = false;
  let ready = first;
  while (!signal.aborted) {
    try {
      const subscription = ready ?? (await listenOnce(client, filter, signal));
      ready = undefined;
      if (missed) onMissed();
      waitMs = FIRST_WAIT_MS;
      await subscription.closed;
    } catch (error) {
      if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return;
    }
    missed = true;
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** Listens for every change of lists that a modern server declared to announce. */
export function listenForChanges(client: Client, options: OpenOptions, signal: AbortSignal): void {
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
  void keepListening(client, { filter, onMissed }, signal);
}
