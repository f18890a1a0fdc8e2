import { delay } from "../async/delay.ts";
import type { Clock } from "../ports/clock.ts";

/**
 * Limits how often a server is asked to list its tools again. Without a limit, a server that reports a change after
 * every listing would keep us listing forever.
 */
export interface RelistPace {
  /** Waits until the server may be asked again; resolves to false if the signal is aborted first. */
  turn(signal: AbortSignal): Promise<boolean>;
}

const MAX_RELISTS = 5;
const WINDOW_MS = 5_000;

export function createRelistPace(clock: Clock): RelistPace {
  const relists: number[] = [];
  return {
    async turn(signal) {
      const [oldest = 0] = relists;
      const waitMs = relists.length < MAX_RELISTS ? 0 : oldest + WINDOW_MS - clock.monotonic();
      if (waitMs > 0 && !(await delay(waitMs, clock, signal))) return false;
      relists.push(clock.monotonic());
      if (relists.length > MAX_RELISTS) relists.shift();
      return true;
    },
  };
}
