import type { StopSignal } from "../../async/stop.ts";
import type { Clock } from "../../ports/clock.ts";
import { fullText, type Gate } from "./gate.ts";
import type { Hold } from "./hold.ts";
import { MAX_QUEUE_LENGTH, type Rooms, type Waiter } from "./rooms.ts";

export type SlotAnswer =
  | { readonly kind: "taken"; release(): void }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "cancelled" };

interface WaitDeps {
  readonly rooms: Rooms;
  readonly clock: Clock;
  readonly signal: StopSignal;
}

/** Waits for room in the full gate and then in those after it, for `maxWaitMs` in total. */
export function waitForRoom(
  hold: Hold,
  full: Gate,
  maxWaitMs: number,
  { rooms, clock, signal }: WaitDeps,
): Promise<SlotAnswer> {
  return new Promise((resolve) => {
    let blocked = full;
    const waiter: Waiter = {
      admit() {
        hold.admitted();
        const next = hold.advance();
        if (next === undefined) return finish(hold);
        blocked = next;
        queueUp();
      },
    };
    const finish = (answer: SlotAnswer) => {
      cancelTimer();
      signal.removeEventListener("abort", cancel);
      resolve(answer);
    };
    const giveUp = (answer: SlotAnswer) => {
      finish(answer);
      rooms.withdraw(blocked.key, waiter);
      hold.release();
    };
    const queueUp = () => {
      if (!rooms.queueUp(blocked, waiter))
        giveUp({ kind: "refused", text: `${fullText(blocked)}, and ${MAX_QUEUE_LENGTH} more are waiting` });
    };
    const cancel = () => giveUp({ kind: "cancelled" });
    const cancelTimer = clock.after(maxWaitMs, () => giveUp({ kind: "refused", text: fullText(blocked) }));
    signal.addEventListener("abort", cancel);
    queueUp();
  });
}
