import { describe, expect, it } from "vitest";
import { listen } from "../../client/listen.ts";
import type { CallOutcome } from "../../domain/call.ts";
import { BEHAVIOURS, type Behaviour, createBusyConnector } from "../../testing/busy-connector.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { between, createRandom, type Random } from "../../testing/seeded-random.ts";
import { testDefinition } from "../../testing/test-definition.ts";
import { createTestEngine } from "../../testing/test-engine.ts";

const SERVERS = ["one", "two", "three"] as const;
const TOOLS = ["a", "b", "c"] as const;
const CALLS_PER_SEED = 2_000;
const MAX_STEP_MS = 10;
const QUEUE_UP_TO = 60;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

interface ModelTool {
  readonly server: (typeof SERVERS)[number];
  /** Tools of different servers have different names, so that none hides another. */
  readonly name: string;
  readonly maxInstances: number;
  readonly timeoutMs: number;
}

interface ModelCall {
  readonly tool: ModelTool;
  readonly arrivedAt: number;
  readonly cancel: AbortController;
  readonly outcome: Promise<CallOutcome>;
  readonly endedAt: Promise<number>;
}

function setUp(seed: number) {
  const random = createRandom(seed);
  const clock = createManualClock();
  const tools = SERVERS.flatMap((server) =>
    TOOLS.map(
      (name): ModelTool => ({
        server,
        name: `${server}_${name}`,
        maxInstances: between(random, 1, 4),
        timeoutMs: between(random, 80, 300),
      }),
    ),
  );
  const serverLimits = new Map(SERVERS.map((server) => [server, between(random, 2, 6)]));
  const maxConcurrent = between(random, 4, 10);
  const maxWaitMs = between(random, 50, 2_000);
  const names = (server: string) => tools.filter((tool) => tool.server === server).map(({ name }) => name);
  const connector = createBusyConnector(Object.fromEntries(SERVERS.map((key) => [key, names(key)])), clock, random);
  const { host, engine } = createTestEngine({
    servers: SERVERS.map((key) => {
      const limit = serverLimits.get(key);
      // One of them has no limit of its own.
      return testDefinition(key, key === "three" || limit === undefined ? {} : { maxConcurrent: limit });
    }),
    toolbox: { maxConcurrent, maxWaitMs, tools },
    // Digests that take no real time: hours of the test's clock pass while a real one is still being made.
    ports: { connectors: [connector], clock, hasher: { sha256: async (text) => text } },
  });
  const serverLimitOf = (server: (typeof SERVERS)[number]) =>
    server === "three" ? maxConcurrent : (serverLimits.get(server) ?? 0);
  return { random, clock, tools, serverLimitOf, maxConcurrent, maxWaitMs, connector, host, engine };
}

type Model = ReturnType<typeof setUp>;

/** Counts breaches as the servers see them, at the moment they happen. */
function watchLimits({ connector, tools, serverLimitOf, maxConcurrent }: Model): string[] {
  const breaches: string[] = [];
  const check = (what: string, seen: number, limit: number) => {
    if (seen > limit) breaches.push(`${what}: ${seen} at once, ${limit} allowed`);
  };
  connector.onBegin = ({ server, tool: name }) => {
    const tool = tools.find((known) => known.name === name);
    check(`tool ${name}`, connector.busy(server, name), tool?.maxInstances ?? 0);
    check(`server ${server}`, connector.busy(server), tool === undefined ? 0 : serverLimitOf(tool.server));
    check("toolbox", connector.busy(), maxConcurrent);
  };
  return breaches;
}

/** Everything random happens here: which calls come, which are cancelled, which servers die. */
async function makeCalls(model: Model): Promise<ModelCall[]> {
  const { random, clock, connector } = model;
  const calls: ModelCall[] = [];
  const waiting = new Set<ModelCall>();
  while (calls.length < CALLS_PER_SEED) {
    const arriving = random() < 0.02 ? between(random, 5, 20) : between(random, 0, 1);
    for (let count = arriving; count > 0 && waiting.size < QUEUE_UP_TO; count -= 1) {
      const call = startCall(model, calls.length);
      calls.push(call);
      waiting.add(call);
      void call.outcome.then(() => waiting.delete(call));
    }
    for (const call of waiting) if (random() < 0.001) call.cancel.abort();
    if (random() < 0.001) connector.crash(pick(SERVERS, random));
    await turn();
    clock.advance(between(random, 1, MAX_STEP_MS));
    await turn();
  }
  return calls;
}

function startCall({ random, clock, tools, engine }: Model, index: number): ModelCall {
  const tool = pick(tools, random);
  const cancel = new AbortController();
  const behaviour = chooseBehaviour(random);
  const outcome = engine.calls.make(
    { tool: tool.name, server: tool.server, arguments: { index, behaviour, ms: between(random, 1, 120) } },
    { signal: cancel.signal },
  );
  const endedAt = outcome.then(() => clock.monotonic());
  return { tool, arrivedAt: clock.monotonic(), cancel, outcome, endedAt };
}

function chooseBehaviour(random: Random): Behaviour {
  const choice = random();
  if (choice < 0.005) return "never";
  if (choice < 0.01) return "crash";
  if (choice < 0.1) return "late";
  return choice < 0.2 ? "fail" : "answer";
}

function pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[], random: Random): Item {
  const item = items[between(random, 0, items.length - 1)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

/** Lets time go by until the condition holds; fails rather than going on for ever. */
async function passTime({ clock }: Model, until: () => boolean | Promise<boolean>): Promise<void> {
  for (let step = 0; !(await until()); step += 1) {
    if (step > 20_000) throw new Error("it never came true, however long the wait");
    clock.advance(MAX_STEP_MS);
    await turn();
  }
}

/** When each call was given its slot, in the order in which that happened. */
function watchSlots({ engine, clock }: Model): Map<number, number> {
  const grantedAt = new Map<number, number>();
  listen(engine, (event) => {
    if (event.type !== "call-changed" || event.call.status !== "running") return;
    grantedAt.set(Number(event.call.arguments.index), clock.monotonic());
  });
  return grantedAt;
}

/** As many calls as the limits admit together, all at once: each must reach its server without any time going by. */
async function fillUp(model: Model): Promise<{ readonly admitted: number; readonly seen: number }> {
  const { tools, serverLimitOf, maxConcurrent, engine, connector } = model;
  const perServer = new Map<string, number>();
  let admitted = 0;
  const outcomes: Promise<CallOutcome>[] = [];
  for (const tool of tools) {
    for (let instance = 0; instance < tool.maxInstances; instance += 1) {
      const onServer = perServer.get(tool.server) ?? 0;
      if (admitted >= maxConcurrent || onServer >= serverLimitOf(tool.server)) break;
      perServer.set(tool.server, onServer + 1);
      admitted += 1;
      const args = { index: -1, behaviour: "answer", ms: 20 };
      outcomes.push(engine.calls.make({ tool: tool.name, server: tool.server, arguments: args }));
    }
  }
  await turn();
  const seen = connector.busy();
  model.clock.advance(MAX_STEP_MS * 5);
  await Promise.all(outcomes);
  return { admitted, seen };
}

describe("limits, over thousands of random calls with cancels, timeouts, crashes and stubborn servers", () => {
  it.each([1, 2, 3, 4, 5])(
    "hold at the servers, give every slot back, and keep order and deadlines (seed %i)",
    async (seed) => {
      const model = setUp(seed);
      const { host, engine, connector, clock, tools, maxWaitMs } = model;
      const breaches = watchLimits(model);
      const grantedAt = watchSlots(model);
      let started = false;
      void host.start().then(() => {
        started = true;
      });
      await passTime(model, () => started);
      const calls = await makeCalls(model);
      let left = calls.length;
      for (const { outcome } of calls) {
        void outcome.then(() => {
          left -= 1;
        });
      }
      await turn();
      await passTime(model, () => left === 0);
      expect(breaches).toEqual([]);

      const outcomes = await Promise.all(calls.map(({ outcome }) => outcome));
      const endings = new Set(outcomes.map((end) => (end.status === "success" ? "success" : end.failure.ending)));
      expect([...endings].sort()).toEqual(
        expect.arrayContaining(["cancelled", "interrupted", "limit", "success", "timed-out", "tool-error"]),
      );

      const overdue = calls.filter(({ arrivedAt }, index) => {
        const granted = grantedAt.get(index);
        return granted !== undefined && granted - arrivedAt > maxWaitMs + MAX_STEP_MS;
      });
      expect(overdue).toEqual([]);
      const refused = calls.filter((_call, index) => {
        const end = outcomes[index];
        return end?.status === "error" && end.failure.ending === "limit";
      });
      const waited = await Promise.all(refused.map(async ({ arrivedAt, endedAt }) => (await endedAt) - arrivedAt));
      expect(waited.filter((ms) => ms > maxWaitMs + 2 * MAX_STEP_MS)).toEqual([]);

      for (const tool of tools) {
        const order = [...grantedAt.keys()].filter((index) => calls[index]?.tool === tool);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }

      await passTime(model, async () => {
        const views = await engine.servers.list();
        return connector.busy() === 0 && views.every(({ status }) => status === "connected");
      });
      for (let round = 0; round < 2; round += 1) {
        const { admitted, seen } = await fillUp(model);
        expect(seen).toBe(admitted);
      }
      let stopped = false;
      void host.stop().then(() => {
        stopped = true;
      });
      await passTime(model, () => stopped);
      expect(clock.pending()).toBe(0);
    },
  );

  it("knows every behaviour of a server", () => {
    const random = createRandom(7);
    const chosen = new Set(Array.from({ length: 2_000 }, () => chooseBehaviour(random)));
    expect([...chosen].sort()).toEqual(BEHAVIOURS.toSorted());
  });
});
