import { describe, expect, it } from "vitest";
import { createManualClock } from "../testing/manual-clock.ts";
import { paceProgress } from "./pace-progress.ts";

describe("progress of a call", () => {
  function paced() {
    const clock = createManualClock();
    const seen: number[] = [];
    return { clock, seen, ...paceProgress(({ progress }) => seen.push(progress), clock) };
  }

  it("passes on slow progress as it comes", () => {
    const { clock, seen, push } = paced();
    for (let progress = 1; progress <= 3; progress += 1) {
      push({ progress });
      clock.advance(50);
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(clock.pending()).toBe(0);
  });

  it("a flood becomes 20 a second, the newest each time", () => {
    const { clock, seen, push } = paced();
    for (let ms = 0; ms < 1_000; ms += 1) {
      for (let burst = 0; burst < 200; burst += 1) push({ progress: ms * 200 + burst });
      clock.advance(1);
    }
    expect(seen).toHaveLength(21);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it("the last progress arrives before the end, and nothing after it", () => {
    const { clock, seen, push, end } = paced();
    push({ progress: 1 });
    push({ progress: 2 });
    push({ progress: 3 });
    end();
    push({ progress: 4 });
    clock.advance(1_000);
    expect(seen).toEqual([1, 3]);
  });
});
