import { describe, expect, it } from "vitest";
import { createManualClock } from "../testing/manual-clock.ts";
import { withSharedTimer } from "./shared-timer.ts";

function context() {
  const clock = createManualClock();
  const shared = withSharedTimer(clock);
  const done: string[] = [];
  const after = (ms: number, name: string) => shared.after(ms, () => void done.push(`${name} ${clock.monotonic()}`));
  return { clock, shared, done, after };
}

describe("one timer for many deadlines", () => {
  it("does each when it is due, in order, whichever was asked for first", () => {
    const { clock, done, after } = context();
    after(30, "c");
    after(10, "a");
    after(20, "b");
    after(20, "b too");
    expect(clock.pending()).toBe(1);
    clock.advance(25);
    expect(done).toEqual(["a 10", "b 20", "b too 20"]);
    clock.advance(25);
    expect(done).toEqual(["a 10", "b 20", "b too 20", "c 30"]);
    expect(clock.pending()).toBe(0);
  });

  it("does nothing that was withdrawn, and keeps no timer for nobody", () => {
    const { clock, done, after } = context();
    const withdraw = after(10, "a");
    const other = after(20, "b");
    withdraw();
    withdraw();
    expect(clock.pending()).toBe(1);
    other();
    expect(clock.pending()).toBe(0);
    clock.advance(100);
    expect(done).toEqual([]);
  });

  it("withdrawing late takes nothing from whoever came after", () => {
    const { clock, done, after } = context();
    const rung = after(10, "a");
    clock.advance(10);
    after(10, "b");
    rung();
    clock.advance(10);
    expect(done).toEqual(["a 10", "b 20"]);
  });

  it("takes and gives up deadlines while it rings", () => {
    const { clock, shared, done, after } = context();
    shared.after(10, () => {
      second();
      after(5, "later");
      after(0, "next");
    });
    const second = after(10, "withdrawn");
    clock.advance(10);
    expect(done).toEqual(["next 10"]);
    clock.advance(10);
    expect(done).toEqual(["next 10", "later 15"]);
    expect(clock.pending()).toBe(0);
  });

  it("goes on with the others when a task throws", () => {
    const { clock, shared, done, after } = context();
    shared.after(10, () => {
      throw new Error("no");
    });
    after(10, "other");
    expect(() => clock.advance(10)).toThrow("no");
    clock.advance(10);
    expect(done).toEqual(["other 10"]);
  });
});
