import type { CallFailure } from "../domain/call.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { CallEnd } from "./steps/end-call.ts";
import type { CallRecorder } from "./steps/record-call.ts";
import type { Slot } from "./steps/take-slot.ts";
import { describeError } from "./unfailing.ts";

type WaitedFor = Slot | { readonly kind: "unsaved"; readonly failure: CallFailure };

/** Waits for a slot that is not free at once. The call is stored as pending first, unless it already is. */
export async function waitForSlot(
  room: Promise<Slot>,
  stored: boolean,
  recorder: CallRecorder,
  end: CallEnd,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<WaitedFor> {
  const giveBack = () =>
    void room.then(
      (slot) => slot.kind === "taken" && slot.release(),
      (error: unknown) => logger.log("error", "Tacklebox has a bug: waiting for a slot failed", describeError(error)),
    );
  let since: number;
  try {
    since = clock.monotonic();
    const failure = stored ? undefined : await recorder.pending();
    if (failure !== undefined) {
      giveBack();
      return { kind: "unsaved", failure };
    }
  } catch (error) {
    giveBack();
    throw error;
  }
  const slot = await room;
  try {
    end.slotMs = clock.monotonic() - since;
  } catch (error) {
    if (slot.kind === "taken") slot.release();
    throw error;
  }
  return slot;
}
