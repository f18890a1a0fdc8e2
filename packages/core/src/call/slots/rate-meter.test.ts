import { describe, expect, it } from "vitest";
import { Stop } from "../../async/stop.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { createMemoryShares } from "../../testing/memory/memory-shares.ts";
import { createScriptedShares } from "../../testing/scripted-shares.ts";
import { createRateMeter, type RateMeter } from "./rate-meter.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const rate = { perMinute: 60, burst: 3 };

/** Makes calls of one rate, and notes how each came out as soon as it did. */
function createCaller(meter: RateMeter, maxWaitMs: number) {
  const passes: Record<string, string> = {};
  const call = (name: string, stop = new Stop()) => {
    const pass = meter.pass("s", rate, maxWaitMs, stop);
    if (pass instanceof Promise)
      void pass.then((late) => {
        passes[name] = late;
      });
    else passes[name] = pass;
  };
  return { passes, call };
}

describe("the rate meter", () => {
  it("S1.54 lets a burst through, then spaces calls out, then refuses", async () => {
    const clock = createManualClock();
    const meter = createRateMeter(clock);
    const { passes, call } = createCaller(meter, 2_500);
    for (const name of ["a", "b", "c", "d", "e", "f"]) call(name);
    expect(passes).toEqual({ a: "passed", b: "passed", c: "passed", f: "refused" });
    clock.advance(1_000);
    await turn();
    expect(passes).toMatchObject({ d: "passed" });
    expect(passes).not.toHaveProperty("e");
    clock.advance(1_000);
    await turn();
    expect(passes).toMatchObject({ e: "passed" });
    clock.advance(60_000);
    expect(meter.pass("s", rate, 0, new Stop())).toBe("passed");
    expect(meter.pass("another", rate, 0, new Stop())).toBe("passed");
  });

  it("lets go of a call that is cancelled while it waits for its turn", async () => {
    const clock = createManualClock();
    const { passes, call } = createCaller(createRateMeter(clock), 2_500);
    const stop = new Stop();
    for (const name of ["a", "b", "c"]) call(name);
    call("d", stop);
    stop.abort();
    await turn();
    expect(passes).toMatchObject({ d: "cancelled" });
    expect(clock.pending()).toBe(0);
  });
});

describe("the rate meter with shares", () => {
  function setUp(chunks: number[]) {
    const clock = createManualClock();
    const shares = createScriptedShares();
    shares.chunks.set("s", chunks);
    return { clock, shares, ...createCaller(createRateMeter(clock, shares.rates), 2_500) };
  }

  it("asks for calls only when the chunk before is used up", () => {
    const { call, passes, shares } = setUp([2, 3]);
    const askedFor: number[] = [];
    for (const name of ["a", "b", "c", "d", "e"]) {
      call(name);
      askedFor.push(shares.asked.length);
    }
    expect(askedFor).toEqual([1, 1, 2, 2, 2]);
    expect(Object.values(passes)).toEqual(Array.from({ length: 5 }, () => "passed"));
  });

  it("makes calls wait where there are none to take, and lets them through in order when there are", async () => {
    const { call, passes, shares, clock } = setUp([1]);
    for (const name of ["a", "b", "c", "d"]) call(name);
    expect(passes).toEqual({ a: "passed" });
    shares.addCalls("s", 2);
    await turn();
    expect(passes).toEqual({ a: "passed", b: "passed", c: "passed" });
    shares.addCalls("s", 2);
    await turn();
    expect(passes).toMatchObject({ d: "passed" });
    expect(clock.pending()).toBe(0);
    call("e");
    expect(passes).toMatchObject({ e: "passed" });
  });

  it("lets nobody past those that wait", async () => {
    const { call, passes, shares } = setUp([]);
    call("a");
    shares.chunks.set("s", [1]);
    call("b");
    expect(passes).toEqual({});
    shares.addCalls("s", 1);
    await turn();
    expect(passes).toEqual({ a: "passed", b: "passed" });
  });

  it("refuses when the wait is over, and lets go of a call that is cancelled", async () => {
    const { call, passes, clock } = setUp([]);
    const stop = new Stop();
    call("a");
    call("b", stop);
    stop.abort();
    call("c", stop);
    clock.advance(2_500);
    await turn();
    expect(passes).toEqual({ a: "refused", b: "cancelled", c: "cancelled" });
    expect(clock.pending()).toBe(0);
  });

  it("refuses at once what could not get its turn in time even if nobody else made any calls", () => {
    const { call, passes } = setUp([]);
    for (const name of ["a", "b", "c", "d", "e", "f"]) call(name);
    expect(passes).toEqual({ f: "refused" });
  });

  it("keeps two meters together within one rate", async () => {
    const clock = createManualClock();
    const pool = createMemoryShares(clock, 2);
    const callers = [pool.join(), pool.join()].map(({ rates }) => createCaller(createRateMeter(clock, rates), 120_000));
    const passed = () => callers.flatMap(({ passes }) => Object.values(passes)).length;
    for (let index = 0; index < 20; index += 1) for (const { call } of callers) call(`call ${index}`);
    expect(passed()).toBe(3);
    for (let second = 1; second <= 37; second += 1) {
      clock.advance(1_000);
      await turn();
      expect(passed()).toBeLessThanOrEqual(3 + second);
    }
    expect(passed()).toBe(40);
    expect(clock.pending()).toBe(0);
  });
});
