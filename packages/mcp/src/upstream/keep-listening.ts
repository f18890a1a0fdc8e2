import { type Client, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { pause } from "./abort.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const ACKNOWLEDGE_MS = 10_000;

/**
 * Keeps a modern server's change notifications coming until the signal aborts.
 * The SDK opens a subscription but does not open it again when the server or the network ends it.
 */
export async function keepListening(client: Client, onToolsChanged: () => void, signal: AbortSignal): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  let missed = false;
  while (!signal.aborted) {
    try {
      const subscription = await client.listen({ toolsListChanged: true }, { timeout: ACKNOWLEDGE_MS, signal });
      if (missed) onToolsChanged();
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
