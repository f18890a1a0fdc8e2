import type { Progress } from "../domain/call.ts";
import type { Clock } from "../ports/clock.ts";

export interface PacedProgress {
  told(progress: Progress): void;
  /** Tells what is still waiting; the call is over and nothing may follow. */
  end(): void;
}

/** 20 a second is more than people or pages can follow; a server may send a thousand times that. */
const SHORTEST_GAP_MS = 50;

/** Passes progress on at a bearable pace. What comes faster replaces what was not passed on yet, so the last always arrives. */
export function paceProgress(tell: (progress: Progress) => void, clock: Clock): PacedProgress {
  let waiting: Progress | undefined;
  let withdraw: (() => void) | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  let over = false;

  const flush = () => {
    withdraw = undefined;
    if (waiting === undefined) return;
    const progress = waiting;
    waiting = undefined;
    toldAt = clock.monotonic();
    tell(progress);
  };

  return {
    told(progress) {
      if (over) return;
      waiting = progress;
      const gapMs = clock.monotonic() - toldAt;
      if (gapMs >= SHORTEST_GAP_MS && withdraw === undefined) flush();
      else withdraw ??= clock.after(SHORTEST_GAP_MS - gapMs, flush);
    },
    end() {
      over = true;
      withdraw?.();
      flush();
    },
  };
}
