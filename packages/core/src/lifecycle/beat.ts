import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { BEAT_EVERY_MS, type Members } from "../ports/members.ts";
import { StoreError } from "../ports/store-error.ts";

export interface Beating {
  /** Beats in the background from now on. A second start has no effect, and neither has one after the stop. */
  start(): void;
  stop(): void;
}

export interface BeatDeps {
  readonly members: Members;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Run with every beat: another process may have died since this one started, and its open calls must be ended. */
  readonly recover: () => Promise<unknown>;
}

const BEAT_FAILED = "Other processes could not be told that this one is running; trying again.";
const RECOVERY_FAILED = "Calls left open by processes that died could not be closed; trying again.";

/**
 * Shows the other processes of the store that this one is alive. A failure is logged as a warning, but not again while
 * it lasts. Having been declared dead is logged as an error and is final.
 */
export function createBeating({ members, clock, logger, recover }: BeatDeps): Beating {
  let state: "new" | "beating" | "stopped" = "new";
  let lastWarning: string | undefined;
  let cancelTimer: (() => void) | undefined;

  function stop(): void {
    state = "stopped";
    cancelTimer?.();
    cancelTimer = undefined;
  }

  function beatLater(): void {
    if (state !== "beating") return;
    const dueAt = clock.now() + BEAT_EVERY_MS;
    cancelTimer = clock.inBackground(BEAT_EVERY_MS, () => void beat(clock.now() - dueAt).then(beatLater));
  }

  async function beat(lateByMs: number): Promise<void> {
    let warning = BEAT_FAILED;
    try {
      await members.beat();
      warning = RECOVERY_FAILED;
      // After a suspension this process declares no one dead at first: the others may have been suspended with it and
      // only now beat again. The same applies if the clock was set.
      if (lateByMs <= BEAT_EVERY_MS) await recover();
      lastWarning = undefined;
    } catch (error) {
      if (state === "beating") report(error, warning);
    }
  }

  function report(error: unknown, warning: string): void {
    const detail = error instanceof Error ? error.message : String(error);
    if (error instanceof StoreError && error.code === "declared-dead") {
      stop();
      logger.log("error", detail);
      return;
    }
    if (lastWarning !== warning) logger.log("warn", `${warning} ${detail}`);
    lastWarning = warning;
  }

  return {
    start() {
      if (state !== "new") return;
      state = "beating";
      beatLater();
    },
    stop,
  };
}
