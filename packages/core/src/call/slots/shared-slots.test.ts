import { describe, expect, it } from "vitest";
import { Stop } from "../../async/stop.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { createScriptedShares } from "../../testing/scripted-shares.ts";
import type { Gate } from "./gate.ts";
import { createLimiter } from "./limiter.ts";
import type { SlotAnswer } from "./wait-for-room.ts";

const tool: Gate = { key: "tool", limit: 5, of: { kind: "tool", name: "echo" } };
const toolbox: Gate = { key: "toolbox", limit: 10, of: { kind: "toolbox" } };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function setUp(grants: Readonly<Record<string, number>>) {
  const clock = createManualClock();
  const shares = createScriptedShares();
  for (const [key, count] of Object.entries(grants)) shares.grants.set(key, count);
  const limiter = createLimiter(clock, shares.slots);
  /** The answers of those that waited, in the order in which they came. */
  const answered: string[] = [];
  const answers = new Map<string, SlotAnswer>();
  const take = (name: string, gates: readonly Gate[] = [tool], stop = new Stop()) => {
    const ticket = limiter.take(gates, 1_000, stop);
    if (ticket.waiting)
      void ticket.answer.then((answer) => {
        answered.push(name);
        answers.set(name, answer);
      });
    else answers.set(name, ticket.answer);
    return ticket.waiting;
  };
  const release = (name: string) => {
    const answer = answers.get(name);
    if (answer?.kind === "taken") answer.release();
  };
  return { clock, shares, limiter, take, release, answered, answers };
}

describe("the limiter with shares", () => {
  it("lets calls in at once up to the grant, then makes them wait though the limit is higher", () => {
    const { take, limiter } = setUp({ tool: 2 });
    expect([take("a"), take("b"), take("c")]).toEqual([false, false, true]);
    expect(limiter.taken("tool")).toBe(2);
  });

  it("says nothing to the owner about calls that find room", () => {
    const { take, release, shares } = setUp({ tool: 2 });
    for (const name of ["a", "b"]) take(name);
    for (const name of ["a", "b"]) release(name);
    expect(shares.notes).toEqual([]);
  });

  it("never lets in more than the limit, whatever is granted", () => {
    const { take } = setUp({ tool: 100 });
    expect(["a", "b", "c", "d", "e", "f"].map((name) => take(name))).toEqual([false, false, false, false, false, true]);
  });

  it("admits those that wait, in order, as far as a raised grant has room", async () => {
    const { take, shares, answered, limiter } = setUp({ tool: 1 });
    for (const name of ["a", "b", "c", "d"]) take(name);
    shares.grant("tool", 3);
    await turn();
    expect(answered).toEqual(["b", "c"]);
    expect(limiter.taken("tool")).toBe(3);
    shares.grant("tool", 4);
    await turn();
    expect(answered).toEqual(["b", "c", "d"]);
  });

  it("lets nobody past those that wait, even if the grant rose without a word", async () => {
    const { take, shares, answered } = setUp({ tool: 0 });
    take("a");
    shares.grants.set("tool", 1);
    expect(take("b")).toBe(true);
    shares.grant("tool", 2);
    await turn();
    expect(answered).toEqual(["a", "b"]);
  });

  it("disturbs nothing that runs when a grant is lowered, and lets nobody in until enough have left", async () => {
    const { take, release, shares, answered, limiter } = setUp({});
    for (const name of ["a", "b", "c"]) take(name);
    shares.grant("tool", 1);
    expect(limiter.taken("tool")).toBe(3);
    expect(take("d")).toBe(true);
    release("a");
    release("b");
    await turn();
    expect(answered).toEqual([]);
    release("c");
    await turn();
    expect(answered).toEqual(["d"]);
  });

  it("tells the owner of every call that leaves while more are in use than granted, and of none after that", () => {
    const { take, release, shares } = setUp({});
    for (const name of ["a", "b", "c"]) take(name);
    shares.grant("tool", 1);
    for (const name of ["a", "b", "c"]) release(name);
    expect(shares.notes).toEqual([
      { key: "tool", inUse: 3, waiting: 0 },
      { key: "tool", inUse: 2, waiting: 0 },
      { key: "tool", inUse: 1, waiting: 0 },
    ]);
  });

  it("tells the owner when calls begin and cease to wait, however that comes", async () => {
    const { take, release, shares, clock } = setUp({ tool: 1 });
    const stop = new Stop();
    take("a");
    take("cancelled", [tool], stop);
    take("admitted");
    take("timed out");
    stop.abort();
    release("a");
    clock.advance(1_000);
    expect(shares.notes.map(({ inUse, waiting }) => [inUse, waiting])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 2],
      [1, 1],
      [1, 0],
    ]);
  });

  it("answers the owner about gates that nobody is in", () => {
    const { shares } = setUp({});
    shares.grant("tool", 3);
    expect(shares.notes).toEqual([{ key: "tool", inUse: 0, waiting: 0 }]);
  });

  it("with a grant of 0 lets everybody wait, refuses with the gate's own text, and keeps nothing of it", async () => {
    const { take, clock, shares, limiter, answers } = setUp({ tool: 0 });
    expect(take("a")).toBe(true);
    clock.advance(1_000);
    await turn();
    expect(answers.get("a")).toEqual({
      kind: "refused",
      text: "Tool 'echo' is at its limit of 5 concurrent calls",
    });
    expect(clock.pending()).toBe(0);
    shares.grant("tool", 1);
    expect(limiter.taken("tool")).toBe(0);
    expect(take("b")).toBe(false);
  });

  it("takes the last call's room away with a grant of 0, and admits again when it rises", async () => {
    const { take, release, shares, answered, limiter } = setUp({});
    take("a");
    shares.grant("tool", 0);
    release("a");
    expect(limiter.taken("tool")).toBe(0);
    expect(take("b")).toBe(true);
    shares.grant("tool", 1);
    await turn();
    expect(answered).toEqual(["b"]);
  });

  it("keeps a call's place in the first gate while it waits for a grant of the second", async () => {
    const { take, release, shares, limiter, answered } = setUp({ toolbox: 1 });
    take("a", [tool, toolbox]);
    take("b", [tool, toolbox]);
    expect([limiter.taken("tool"), limiter.taken("toolbox")]).toEqual([2, 1]);
    shares.grant("toolbox", 2);
    await turn();
    expect(answered).toEqual(["b"]);
    for (const name of ["a", "b"]) release(name);
    expect([limiter.taken("tool"), limiter.taken("toolbox")]).toEqual([0, 0]);
  });

  it("takes a grant that comes while it tells of the wait", async () => {
    const shares = createScriptedShares();
    shares.grants.set("tool", 0);
    let told: (key: string) => void = () => undefined;
    const limiter = createLimiter(createManualClock(), {
      ...shares.slots,
      onChange(listener) {
        told = listener;
      },
      noteUse(key, _inUse, waiting) {
        if (waiting === 0) return;
        shares.grants.set(key, 1);
        told(key);
      },
    });
    const answer = await limiter.take([tool], 1_000, new Stop()).answer;
    expect(answer.kind).toBe("taken");
    expect(limiter.taken("tool")).toBe(1);
  });
});
