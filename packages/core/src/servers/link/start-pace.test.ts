import { describe, expect, it } from "vitest";
import { createManualClock } from "../../testing/manual-clock.ts";
import { createStartPace } from "./start-pace.ts";

describe("how often a server may be started", () => {
  function pace() {
    const clock = createManualClock();
    return { clock, ...createStartPace(clock) };
  }

  it("five starts in any minute, the sixth when the first is a minute old", () => {
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

  it("five failures within a minute leave one try a minute, until it has been well", () => {
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

  it("failures further apart never close it", () => {
    const { clock, failed, waitMs } = pace();
    for (let failure = 0; failure < 20; failure += 1) {
      failed();
      clock.advance(15_001);
      expect(waitMs()).toBe(0);
    }
  });
});
