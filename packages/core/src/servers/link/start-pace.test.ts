import { describe, expect, it } from "vitest";
import { createManualClock } from "../../testing/manual-clock.ts";
import { createStartPace } from "./start-pace.ts";

describe("the start pace", () => {
  function pace() {
    const clock = createManualClock();
    return { clock, ...createStartPace(clock) };
  }

  it("allows five starts in any minute, and the sixth when the first is a minute old", () => {
    const { clock, started, waitMs } = pace();
    for (let start = 0; start < 5; start += 1) {
      expect(waitMs()).toBe(0);
      started();
      clock.advance(1_000);
    }
    expect(waitMs()).toBe(55_000);
    clock.advance(55_000);
    expect(waitMs()).toBe(0);
    started();
    expect(waitMs()).toBe(1_000);
  });

  it("allows one try a minute after five failures within a minute, until the server has recovered", () => {
    const { clock, failed, recovered, waitMs } = pace();
    for (let failure = 0; failure < 4; failure += 1) failed();
    expect(waitMs()).toBe(0);
    failed();
    expect(waitMs()).toBe(60_000);
    clock.advance(60_000);
    expect(waitMs()).toBe(0);
    failed();
    expect(waitMs()).toBe(60_000);
    clock.advance(60_000);
    recovered();
    failed();
    expect(waitMs()).toBe(0);
  });

  it("is not restricted by failures further apart", () => {
    const { clock, failed, waitMs } = pace();
    for (let failure = 0; failure < 20; failure += 1) {
      failed();
      clock.advance(15_001);
      expect(waitMs()).toBe(0);
    }
  });
});
