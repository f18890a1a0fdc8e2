import { describe, expect, it } from "vitest";
import { Stop } from "../../async/stop.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { createMemorySlotShares } from "../../testing/memory/memory-slot-shares.ts";
import { createScriptedShares } from "../../testing/scripted-shares.ts";
import { between, createRandom, type Random } from "../../testing/seeded-random.ts";
import type { Gate } from "./gate.ts";
import { createLimiter, type Limiter } from "./limiter.ts";
import type { SlotAnswer } from "./wait-for-room.ts";

const STEPS = 3_000;
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const MAX_WAIT_MS = 100;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

interface ModelCall {
  readonly member: Limiter;
  readonly tool: Gate;
  readonly stop: Stop;
  answer?: SlotAnswer;
}

function setUp(seed: number) {
  const random = createRandom(seed);
  const clock = createManualClock();
  const tools = ["a", "b", "c"].map((key): Gate => {
    return { key, limit: between(random, 1, 4), of: { kind: "tool", name: key } };
  });
  const toolbox: Gate = { key: "all", limit: between(random, 1, 6), of: { kind: "toolbox" } };
  const calls: ModelCall[] = [];
  /** In the order in which they were let in. */
  const admitted: ModelCall[] = [];
  const answer = (call: ModelCall, given: SlotAnswer) => {
    call.answer = given;
    if (given.kind === "taken") admitted.push(call);
  };
  const start = (member: Limiter, maxWaitMs = MAX_WAIT_MS) => {
    const call: ModelCall = { member, tool: pick(tools, random), stop: new Stop() };
    const ticket = member.take([call.tool, toolbox], maxWaitMs, call.stop);
    calls.push(call);
    if (ticket.waiting) void ticket.answer.then((late) => answer(call, late));
    else answer(call, ticket.answer);
  };
  /** Calls that were let in and have not left. */
  const running = new Set<ModelCall>();
  let seen = 0;
  const end = (share: number) => {
    for (; seen < admitted.length; seen += 1) running.add(admitted[seen] ?? fail());
    for (const call of running) {
      if (random() >= share) continue;
      running.delete(call);
      if (call.answer?.kind === "taken") call.answer.release();
    }
  };
  return { random, clock, tools, toolbox, calls, admitted, start, end };
}

type Model = ReturnType<typeof setUp>;

function fail(): never {
  throw new Error("there is no such call");
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[between(random, 0, items.length - 1)] ?? fail();
}

function cancelSome({ calls, random }: Model): void {
  for (const { stop, answer } of calls) if (answer === undefined && random() < 0.02) stop.abort();
}

/** Calls of one tool in one process were let in as they came. */
function expectOrder({ calls, admitted, tools }: Model, members: readonly Limiter[]): void {
  const number = new Map(calls.map((call, index) => [call, index]));
  for (const member of members) {
    for (const tool of tools) {
      const order = admitted.filter((call) => call.member === member && call.tool === tool);
      const numbers = order.map((call) => number.get(call) ?? -1);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  }
}

describe("limiters that share one pool", () => {
  it.each(SEEDS)("never exceed it together, keep order, and give everything back (seed %i)", async (seed) => {
    const model = setUp(seed);
    const { random, clock, tools, toolbox, calls, start, end } = model;
    const pool = createMemorySlotShares();
    const members = Array.from({ length: between(random, 2, 4) }, () => createLimiter(clock, pool.join()));
    const taken = (key: string) => members.reduce((sum, member) => sum + member.taken(key), 0);
    const breaches: string[] = [];
    const check = () => {
      for (const { key, limit } of [...tools, toolbox])
        if (taken(key) > limit) breaches.push(`${key}: ${taken(key)} at once, ${limit} allowed`);
    };
    for (let step = 0; step < STEPS; step += 1) {
      for (let count = between(random, 0, 2); count > 0; count -= 1) start(pick(members, random));
      check();
      cancelSome(model);
      end(0.3);
      check();
      clock.advance(between(random, 0, 20));
      await turn();
      check();
    }
    expect(breaches).toEqual([]);
    const kinds = new Set(calls.map(({ answer }) => answer?.kind));
    expect([...kinds]).toEqual(expect.arrayContaining(["taken", "refused", "cancelled"]));

    // From here on nobody gives up, so everybody must get in.
    for (const member of members) for (let count = 0; count < 20; count += 1) start(member, Number.POSITIVE_INFINITY);
    for (let rounds = 0; calls.some(({ answer }) => answer === undefined); rounds += 1) {
      if (rounds > 10_000) throw new Error("somebody waits for ever");
      end(0.5);
      check();
      await turn();
    }
    end(1);
    expect(breaches).toEqual([]);
    expectOrder(model, members);
    expect([...tools, toolbox].map(({ key }) => taken(key))).toEqual([0, 0, 0, 0]);
    expect(clock.pending()).toBe(0);
    expect(calls.slice(-members.length * 20).every(({ answer }) => answer?.kind === "taken")).toBe(true);
  });
});

describe("a limiter whose grants change at random", () => {
  it.each(SEEDS)("lets nobody in beyond them, and everybody once they allow it (seed %i)", async (seed) => {
    const model = setUp(seed);
    const { random, clock, tools, toolbox, calls, start, end } = model;
    const shares = createScriptedShares();
    const limiter = createLimiter(clock, shares.slots);
    const gates = [...tools, toolbox];
    const changeGrant = () => {
      const { key, limit } = pick(gates, random);
      const before = limiter.taken(key);
      const granted = between(random, 0, limit);
      shares.grant(key, granted);
      return limiter.taken(key) <= Math.max(before, granted);
    };
    for (let step = 0; step < STEPS; step += 1) {
      const before = gates.map(({ key }) => limiter.taken(key));
      for (let count = between(random, 0, 2); count > 0; count -= 1) start(limiter);
      end(0.3);
      gates.forEach(({ key, limit }, index) => {
        const allowed = Math.max(before[index] ?? 0, shares.grants.get(key) ?? limit);
        expect(limiter.taken(key)).toBeLessThanOrEqual(allowed);
      });
      cancelSome(model);
      if (random() < 0.2) expect(changeGrant()).toBe(true);
      clock.advance(between(random, 0, 20));
      await turn();
    }
    for (const { key, limit } of gates) shares.grant(key, limit);
    for (let rounds = 0; calls.some(({ answer }) => answer === undefined); rounds += 1) {
      if (rounds > 10_000) throw new Error("somebody waits for ever");
      end(0.5);
      await turn();
    }
    end(1);
    expectOrder(model, [limiter]);
    expect(gates.map(({ key }) => limiter.taken(key))).toEqual([0, 0, 0, 0]);
    expect(clock.pending()).toBe(0);
  });
});
