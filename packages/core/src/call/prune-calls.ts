import type { CallLogSettings } from "../domain/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { CallLog } from "../ports/store.ts";

export interface CallPruner {
  /** Prunes now and every hour from now on, in the background. A failure is logged as a warning. */
  start(): void;
  stop(): void;
}

export interface PruneDeps {
  readonly calls: CallLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

const AGAIN_AFTER_MS = 60 * 60 * 1_000;

/** Keeps the call log within its bounds. `settings` is read each time; if it returns undefined, nothing is removed. */
export function createCallPruner(
  settings: () => CallLogSettings | undefined,
  { calls, clock, logger }: PruneDeps,
): CallPruner {
  let cancelTimer: (() => void) | undefined;

  async function prune({ keepMs, keepAtMost }: CallLogSettings): Promise<void> {
    try {
      const olderThan = new Date(Math.max(0, clock.now() - keepMs)).toISOString();
      const removed = await calls.prune({ olderThan, keepAtMost });
      if (removed > 0) logger.log("info", `Old calls removed from the call log: ${removed}`);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      logger.log("warn", `Old calls could not be removed from the call log; trying again in an hour. ${detail}`);
    }
  }

  function start(): void {
    const bounds = settings();
    if (bounds !== undefined) void prune(bounds);
    cancelTimer = clock.after(AGAIN_AFTER_MS, start);
  }

  return {
    start() {
      cancelTimer?.();
      start();
    },
    stop() {
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}
