import { delay } from "../async/delay.ts";
import { overOrStopped } from "../async/over-or-stopped.ts";
import type { StopSignal } from "../async/stop.ts";
import type { Clock } from "../ports/clock.ts";
import type { FirstConnection } from "../servers/first-connections.ts";

/** The servers that may join while a run goes on. */
export interface ComingServers {
  /** Their names, as they are now. */
  names(): readonly string[];
  /**
   * Looks at those that are coming now. What is returned resolves to true once one of them is up or has failed, and to
   * false if there are none, or if the run has spent all the time on it that it may.
   */
  look(): () => Promise<boolean>;
}

/** How long one run waits in all for servers that it may not need. */
const PATIENCE_MS = 5_000;

export function createComingServers(
  coming: () => readonly FirstConnection[],
  clock: Clock,
  signal: StopSignal,
): ComingServers {
  let leftMs = PATIENCE_MS;

  async function untilOneIsThere(awaited: readonly FirstConnection[]): Promise<boolean> {
    if (awaited.length === 0 || signal.aborted) return false;
    const still = coming();
    if (!awaited.every((one) => still.includes(one))) return true;
    const since = clock.monotonic();
    const over = new AbortController();
    const isThere = Promise.race(awaited.map((one) => one.over)).then(() => true);
    const first = Promise.race([isThere, delay(leftMs, clock, over.signal).then(() => false)]);
    await overOrStopped(first, signal);
    over.abort();
    leftMs = Math.max(0, leftMs - (clock.monotonic() - since));
    return !signal.aborted && first;
  }

  return {
    names: () => coming().map(({ entry }) => entry.definition.name),
    look() {
      const awaited = coming();
      return () => untilOneIsThere(awaited);
    },
  };
}
