import type { CallLogSettings } from "../domain/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { CallLog } from "../ports/store.ts";
import { type CountedAge, countAge } from "./count-age.ts";

export interface CallPruner {
  /** Prunes now and from now on, in the background. A failure is logged as a warning. */
  start(): void;
  stop(): void;
}

export interface PruneDeps {
  readonly calls: CallLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Often, because a busy engine can fill a disk in an hour. */
const AGAIN_AFTER_MS = 60 * 1_000;
/** Seldom, because each time removes only a share of what is too old: a wrong clock should be noticed meanwhile. */
const AGES_AGAIN_AFTER_MS = 60 * 60 * 1_000;

/** Keeps the call log within its bounds. `settings` is read each time; if it returns undefined, nothing is removed. */
export function createCallPruner(
  settings: () => CallLogSettings | undefined,
  { calls, clock, logger }: PruneDeps,
): CallPruner {
  let cancelTimer: (() => void) | undefined;
  let isPruning = false;
  let agesDueAt = 0;
  let lastWarning: string | undefined;

  async function prune({ keepMs, keepAtMost, keepBytes }: CallLogSettings): Promise<void> {
    isPruning = true;
    try {
      const { young } = await countAgeWhenDue(keepMs);
      const removed = await calls.prune({ keepAtMost, keepBytes, ...(young !== undefined && { young }) });
      if (removed > 0) logger.log("info", `Old calls removed from the call log: ${removed}`);
      if (lastWarning?.startsWith(FAILED) === true) lastWarning = undefined;
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      warn(`${FAILED} ${detail}`);
    } finally {
      isPruning = false;
    }
  }

  async function countAgeWhenDue(keepMs: number): Promise<CountedAge> {
    if (clock.monotonic() < agesDueAt) return {};
    const counted = await countAge(calls, clock.now(), keepMs);
    agesDueAt = clock.monotonic() + AGES_AGAIN_AFTER_MS;
    if (counted.warning !== undefined) warn(counted.warning);
    return counted;
  }

  /** Says what is wrong once, not every minute. Once stopped, the store may be closed, and that is not a failure. */
  function warn(text: string): void {
    if (text !== lastWarning && cancelTimer !== undefined) logger.log("warn", text);
    lastWarning = text;
  }

  function pruneAndGoOn(): void {
    cancelTimer = clock.inBackground(AGAIN_AFTER_MS, pruneAndGoOn);
    const bounds = settings();
    if (bounds !== undefined && !isPruning) void prune(bounds);
  }

  function stop(): void {
    cancelTimer?.();
    cancelTimer = undefined;
  }

  return {
    start() {
      stop();
      agesDueAt = 0;
      pruneAndGoOn();
    },
    stop,
  };
}

const FAILED = "Old calls could not be removed from the call log; trying again in a minute.";
