import type { Progress } from "../domain/call.ts";
import type { Clock } from "../ports/clock.ts";

export interface PacedProgress {
  push(progress: Progress): void;
  /** Emits the progress that is still waiting; the call is over, so nothing may follow. */
  end(): void;
}

/** 20 updates a second are more than people or pages can follow; a server may send a thousand times that. */
const MIN_GAP_MS = 50;

/** Limits the rate of progress updates. A newer update replaces one that still waits, so the last always arrives. */
export function paceProgress(emit: (progress: Progress) => void, clock: Clock): PacedProgress {
  let waiting: Progress | undefined;
  let cancelTimer: (() => void) | undefined;
  let emittedAt = Number.NEGATIVE_INFINITY;
  let over = false;

  const flush = () => {
    cancelTimer = undefined;
    if (waiting === undefined) return;
    const progress = waiting;
    waiting = undefined;
    emittedAt = clock.monotonic();
    emit(progress);
  };

  return {
    push(progress) {
      if (over) return;
      waiting = progress;
      const gapMs = clock.monotonic() - emittedAt;
      if (gapMs >= MIN_GAP_MS && cancelTimer === undefined) flush();
      else cancelTimer ??= clock.after(MIN_GAP_MS - gapMs, flush);
    },
    end() {
      over = true;
      cancelTimer?.();
      flush();
    },
  };
}
