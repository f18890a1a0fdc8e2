import { describe, expect, it } from "vitest";
import { Stop, type StopSignal } from "../../async/stop.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { fullText, type Gate } from "./gate.ts";
import { createLimiter } from "./limiter.ts";
import type { SlotAnswer } from "./wait-for-room.ts";

// Not a real signal, which warns of many listeners: here all who wait share one, in the program each call has its own.
const never: StopSignal = new Stop();
const gate = (key: string, limit: number): Gate => ({ key, limit, of: { kind: "tool", name: key } });
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
    if (answer?.kind === "taken") answer.release();
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
    expect(answers.c?.kind).toBe("taken");
  });

  it("lets waiting calls in, in order, as soon as a call brings a higher limit", async () => {
    const { take, answers } = setUp();
    take("a", [gate("t", 1)]);
    take("b", [gate("t", 1)]);
    take("c", [gate("t", 2)]);
    await turn();
    expect(Object.keys(answers)).toEqual(["a", "b"]);
    take("d", [gate("t", 5)]);
    await turn();
    expect(Object.keys(answers)).toEqual(["a", "b", "c", "d"]);
  });

  it("D.12 calls that queue on one busy tool hold no room in the toolbox", async () => {
    const { take, answers, limiter } = setUp();
    take("busy 1", [gate("busy", 1), gate("all", 2)]);
    take("busy 2", [gate("busy", 1), gate("all", 2)]);
    take("busy 3", [gate("busy", 1), gate("all", 2)]);
    take("other", [gate("other", 1), gate("all", 2)]);
    await turn();
    expect(answers.other?.kind).toBe("taken");
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
    expect(answers.b?.kind).toBe("taken");
  });

  it("refuses with the full gate's text when the wait is over, and gives everything back", async () => {
    const { take, answers, clock, limiter, release } = setUp();
    take("a", [gate("x", 1), gate("all", 1)]);
    take("b", [gate("y", 1), gate("all", 1)]);
    clock.advance(1_000);
    await turn();
    expect(answers.b).toEqual({ kind: "refused", text: "Tool 'all' is at its limit of 1 concurrent calls" });
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
    expect(answers["one too many"]).toEqual({
      kind: "refused",
      text: "Tool 't' is at its limit of 1 concurrent calls, and 1024 more are waiting",
    });
  });

  it("releasing twice is releasing once", async () => {
    const { take, answers, limiter, release } = setUp();
    take("a", [gate("t", 2)]);
    take("b", [gate("t", 2)]);
    await turn();
    release("a");
    release("a");
    expect(limiter.taken("t")).toBe(1);
    expect(answers.b?.kind).toBe("taken");
  });
});

describe("a gate", () => {
  it("is plain data, and says what is full", () => {
    const gates: Gate[] = [
      { key: "a", limit: 1, of: { kind: "tool", name: "echo" } },
      { key: "b", limit: 2, of: { kind: "server", name: "Echoer" } },
      { key: "c", limit: 3, of: { kind: "toolbox" } },
    ];
    expect(JSON.parse(JSON.stringify(gates))).toEqual(gates);
    expect(gates.map(fullText)).toEqual([
      "Tool 'echo' is at its limit of 1 concurrent calls",
      "Server 'Echoer' is at its limit of 2 concurrent calls",
      "The toolbox is at its limit of 3 concurrent calls",
    ]);
  });
});
