import type { StopSignal } from "../../async/stop.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SlotShares } from "../../ports/shares.ts";
import type { Gate } from "./gate.ts";
import { Hold } from "./hold.ts";
import { Rooms } from "./rooms.ts";
import { type SlotAnswer, waitForRoom } from "./wait-for-room.ts";

/** Holds the answer itself if no wait is needed, so that a call that can run at once is not stored as pending first. */
export type SlotTicket =
  | { readonly waiting: false; readonly answer: SlotAnswer }
  | { readonly waiting: true; readonly answer: Promise<SlotAnswer> };

export interface Limiter {
  /** Takes room in every gate, in order. A call that waits at one gate keeps its room in the earlier ones. */
  take(gates: readonly Gate[], maxWaitMs: number, signal: StopSignal): SlotTicket;
  /** The number of calls that hold room in a gate. */
  taken(key: string): number;
}

/** First come, first served at each gate, with bounded queues and waits. With `shares`, only granted room is used. */
export function createLimiter(clock: Clock, shares?: SlotShares): Limiter {
  const rooms = new Rooms(shares);
  return {
    take(gates, maxWaitMs, signal) {
      if (signal.aborted) return { waiting: false, answer: { kind: "cancelled" } };
      const hold = new Hold(gates, rooms);
      const full = hold.advance();
      if (full === undefined) return { waiting: false, answer: hold };
      return { waiting: true, answer: waitForRoom(hold, full, maxWaitMs, { rooms, clock, signal }) };
    },
    taken: (key) => rooms.taken(key),
  };
}
