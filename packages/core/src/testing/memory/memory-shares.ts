import type { Clock } from "../../ports/clock.ts";
import type { Shares } from "../../ports/shares.ts";
import { createMemoryRateShares } from "./memory-rate-shares.ts";
import { createMemorySlotShares } from "./memory-slot-shares.ts";

export interface SharesPool {
  /** Returns the shares of one more engine. */
  join(): Shares;
}

/** Limits that several engines in this process keep together. */
export function createMemoryShares(clock: Clock, callsPerChunk = 1): SharesPool {
  const slots = createMemorySlotShares();
  const rates = createMemoryRateShares(clock, callsPerChunk);
  return { join: () => ({ slots: slots.join(), rates: rates.join() }) };
}
