import { describe, it } from "vitest";
import { systemClock } from "../../platform/system-clock.ts";
import { sharesContract } from "../contracts/shares-contract.ts";
import { createMemoryShares } from "./memory-shares.ts";

describe("the memory shares keep the contract of shares", () => {
  const create = async () => {
    const pool = createMemoryShares(systemClock, 2);
    return [pool.join(), pool.join()] as const;
  };
  for (const test of sharesContract(create)) it(test.name, test.run);
});
