import { describe, expect, it } from "vitest";
import { Stop, type StopSignal } from "../../async/stop.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { createLimiter, type Gate, type SlotAnswer } from "./limiter.ts";
import { createRateMeter } from "./rate-meter.ts";

// Not a real signal, which warns of many listeners: here all who wait share one, in the program each call has its own.
const never: StopSignal = new Stop();
const gate = (key: string, limit: number): Gate => ({ key, limit, text: () => `${key} is full` });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function setUp() {
  const clock = createManualClock();
  const limiter = createLimiter(clock);
  const answers: Record<string, SlotAnswer> = {};
  const take = (name: string, gates: Gate[], signal = never, wait = 1_000) => {
    const ticket = limiter.take(gates, wait, signal);
    void Promise.resolve(ticket.answer).then((answer) => {
      answers[name] = answer;
    });
    return ticket;
  };
  const release = (name: string) => {
    const answer = answers[name];
    if (answer?.kind === "granted") answer.release();
  };
  return { clock, limiter, answers, take, release };
}

describe("the limiter", () => {
  it("D.12 grants at once while there is room, then makes calls wait in order", async () => {
    const { take, answers, release } = setUp();
    expect(take("a", [gate("t", 1)]).waiting).toBe(false);
    expect(take("b", [gate("t", 1)]).waiting).toBe(true);
    take("c", [gate("t", 1)]);
    await turn();
    release("a");
    await turn();
    expect(Object.keys(answers)).toEqual(["a", "b"]);
    release("b");
    await turn();
    expect(answers.c?.kind).toBe("granted");
  });

  it("D.12 calls that queue on one busy tool hold no room in the toolbox", async () => {
    const { take, answers, limiter } = setUp();
    take("busy 1", [gate("busy", 1), gate("all", 2)]);
    take("busy 2", [gate("busy", 1), gate("all", 2)]);
    take("busy 3", [gate("busy", 1), gate("all", 2)]);
    take("other", [gate("other", 1), gate("all", 2)]);
    await turn();
    expect(answers.other?.kind).toBe("granted");
    expect(limiter.taken("all")).toBe(2);
  });

  it("keeps its place in the first gate while it waits in the second", async () => {
    const { take, answers, release, limiter } = setUp();
    take("a", [gate("x", 1), gate("all", 1)]);
    take("b", [gate("y", 1), gate("all", 1)]);
    await turn();
    expect(limiter.taken("y")).toBe(1);
    release("a");
    await turn();
    expect(answers.b?.kind).toBe("granted");
  });

  it("refuses with the full gate's text when the wait is over, and gives everything back", async () => {
    const { take, answers, clock, limiter, release } = setUp();
    take("a", [gate("x", 1), gate("all", 1)]);
    take("b", [gate("y", 1), gate("all", 1)]);
    clock.advance(1_000);
    await turn();
    expect(answers.b).toEqual({ kind: "refused", text: "all is full" });
    expect(limiter.taken("y")).toBe(0);
    release("a");
    expect(limiter.taken("all")).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  it("lets go of a waiting call that is cancelled, and of one cancelled before it asked", async () => {
    const { take, answers, limiter, release } = setUp();
    const abort = new AbortController();
    take("a", [gate("t", 1)]);
    take("b", [gate("t", 1)], abort.signal);
    abort.abort();
    take("c", [gate("t", 1)], abort.signal);
    await turn();
    expect([answers.b?.kind, answers.c?.kind]).toEqual(["cancelled", "cancelled"]);
    release("a");
    expect(limiter.taken("t")).toBe(0);
  });

  it("bounds the queue", async () => {
    const { take, answers } = setUp();
    take("running", [gate("t", 1)]);
    for (let index = 0; index < 1_024; index += 1) take(`waiting ${index}`, [gate("t", 1)]);
    take("one too many", [gate("t", 1)]);
    await turn();
    expect(answers["one too many"]).toEqual({ kind: "refused", text: "t is full, and 1024 more are waiting" });
  });

  it("releasing twice is releasing once", async () => {
    const { take, answers, limiter, release } = setUp();
    take("a", [gate("t", 2)]);
    take("b", [gate("t", 2)]);
    await turn();
    release("a");
    release("a");
    expect(limiter.taken("t")).toBe(1);
    expect(answers.b?.kind).toBe("granted");
  });
});

describe("the rate meter", () => {
  it("S1.54 lets a burst through, then spaces calls out, then refuses", () => {
    const clock = createManualClock();
    const meter = createRateMeter(clock);
    const rate = { perMinute: 60, burst: 3 };
    const waits = Array.from({ length: 6 }, () => meter.reserve("s", rate, 2_500));
    expect(waits).toEqual([0, 0, 0, 1_000, 2_000, undefined]);
    clock.advance(60_000);
    expect(meter.reserve("s", rate, 0)).toBe(0);
    expect(meter.reserve("another", rate, 0)).toBe(0);
  });
});
