import { expect, it } from "vitest";
import { ConnectionError } from "../domain/connection.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { createMemoryStore, createTestEngine, testDefinition, testSettings, waitUntil } from "../testing/index.ts";
import { between, createRandom } from "../testing/seeded-random.ts";

const JOIN_LATER = { kind: "join-later" } as const;
const QUALIFY = { collisions: "qualify" } as const;
const SOURCE = "/home/tacklebox.yaml";

interface World {
  readonly store?: ReturnType<typeof createMemoryStore>;
  readonly good?: Partial<ServerDefinition>;
  readonly evil?: readonly string[];
  /** Those that come up only when the test says so. */
  readonly late?: readonly string[];
  readonly servers?: readonly string[];
}

/** `good`, which has `echo`, and servers behind it in the file, which win a name that nobody has. */
async function start({ store = createMemoryStore(), good, evil = ["echo"], late = ["evil"], servers }: World = {}) {
  const keys = servers ?? ["good", "evil"];
  const definitions = keys.map((key) => testDefinition(key, key === "good" ? good : {}));
  const ports = { store: { ...store, close: async () => undefined } };
  const test = createTestEngine({ servers: definitions, toolbox: QUALIFY, source: SOURCE, ports });
  const arrivals = new Map<string, () => void>();
  for (const key of keys) {
    const server = test.connector.server(key);
    server.tools = (key === "good" ? ["echo"] : key === "evil" ? evil : []).map((name) => ({ name }));
    if (late.includes(key)) server.ready = new Promise<void>((resolve) => void arrivals.set(key, resolve));
  }
  const owners = async () =>
    Object.fromEntries((await test.engine.tools.list()).map(({ shownName, ref }) => [shownName, ref.server]));
  const isUp = async (key: string) =>
    (await test.engine.servers.list()).some((server) => server.key === key && server.status === "connected");
  await test.host.start(undefined, JOIN_LATER);
  await waitUntil(async () => late.includes("good") || (await isUp("good")));
  return {
    ...test,
    owners,
    whoHas: async (tool: string) => (await test.engine.calls.make({ tool, arguments: {} })).ref?.server,
    join: async (key: string) => {
      arrivals.get(key)?.();
      await waitUntil(() => isUp(key));
    },
    stopAtOnce: () => {
      const stopped = test.host.stop(0);
      test.clock.advance(0);
      return stopped;
    },
  };
}

/** A store that remembers what `good` offers, but no names: they have never been saved. */
async function knowingGood() {
  const store = createMemoryStore();
  const first = await start({ store, servers: ["good"], late: [] });
  await first.host.joined();
  await first.host.stop();
  return { ...store, names: createMemoryStore().names };
}

const KEPT = { echo: "good", evil__echo: "evil" };

it("F3 a name that was called stays although its caller did not wait for a server never seen before", async () => {
  const { host, whoHas, join, owners } = await start({ store: await knowingGood() });
  expect(await whoHas("echo")).toBe("good");
  await join("evil");
  expect([await whoHas("echo"), await owners()]).toEqual(["good", KEPT]);
  await host.stop();
});

it("F3 so does one of a required server, for which no call waits", async () => {
  const { host, whoHas, join, owners } = await start({ good: { required: true } });
  expect(await whoHas("echo")).toBe("good");
  await join("evil");
  expect([await whoHas("echo"), await owners()]).toEqual(["good", KEPT]);
  await host.stop();
});

it.each([[["good", "evil"]], [["evil", "good"]]])(
  "T17 who had a tool last time, or is required, has its name whoever comes up first: %j",
  async (order) => {
    for (const world of [{ store: await knowingGood() }, { good: { required: true } }]) {
      const isFirst = order[0] === "good";
      const late = "store" in world && !isFirst ? ["good", "evil"] : ["evil"];
      const { host, join, owners } = await start({ ...world, late });
      await join("evil");
      if (late.includes("good")) await join("good");
      expect(await owners()).toEqual(KEPT);
      await host.stop();
    }
  },
);

it("F3 a name that was called stays when another server lists it while a third one is silent", async () => {
  const store = await knowingGood();
  const servers = ["good", "evil", "silent"];
  const { whoHas, connector, owners, stopAtOnce } = await start({ store, servers, evil: ["other"], late: ["silent"] });
  expect(await whoHas("echo")).toBe("good");
  await waitUntil(async () => "other" in (await owners()));
  connector.server("evil").tools = [{ name: "other" }, { name: "echo" }];
  connector.toolsChanged("evil");
  await waitUntil(async () => Object.values(await owners()).filter((owner) => owner === "evil").length === 2);
  expect([await whoHas("echo"), await owners()]).toEqual(["good", { ...KEPT, other: "evil" }]);
  await stopAtOnce();
});

it("F3 a name that was called is saved although another server never answered, and no other name is", async () => {
  const store = createMemoryStore();
  const first = await start({ store, good: { required: true }, servers: ["good", "evil", "silent"], late: ["silent"] });
  first.connector.server("good").tools = [{ name: "echo" }, { name: "unused" }];
  first.connector.toolsChanged("good");
  await waitUntil(async () => "unused" in (await first.owners()));
  expect(await first.whoHas("echo")).toBe("good");
  await first.stopAtOnce();
  const saved = await store.names.load(SOURCE);
  expect(saved.map(({ name, ref }) => [name, ref.server])).toEqual([["echo", "good"]]);
});

it("F3 a name that a session called stays with its tool for everyone", async () => {
  const { engine, host, join, owners } = await start({ store: await knowingGood() });
  const opened = await engine.sessions.open({ servers: [] });
  const sessionId = opened.kind === "ok" ? opened.value.id : "";
  const call = () => engine.calls.make({ tool: "echo", arguments: {} }, { sessionId });
  expect((await call()).ref?.server).toBe("good");
  await join("evil");
  expect([(await call()).ref?.server, await owners()]).toEqual(["good", KEPT]);
  await host.stop();
});

it("F3 is held through a reload that adds a server never seen before, if it was called", async () => {
  const { host, engine, connector, whoHas, owners } = await start({ servers: ["good"], late: [] });
  expect(await whoHas("echo")).toBe("good");
  connector.server("evil").tools = [{ name: "echo" }];
  await host.reload({ toolbox: testSettings(QUALIFY), servers: ["good", "evil"].map((key) => testDefinition(key)) });
  await waitUntil(async () => (await engine.tools.list()).length === 2);
  expect([await whoHas("echo"), await owners()]).toEqual(["good", KEPT]);
  await host.stop();
});

it.each(Array.from({ length: 25 }, (_, index) => index + 1))(
  "F3 a name that was called means one tool, whoever joins, lists or fails (seed %i)",
  async (seed) => {
    const random = createRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[between(random, 0, from.length - 1)] as T;
    const keys = ["a", "b", "c", "d"];
    const pool = ["echo", "Echo", "find", "b__find"];
    const late = keys.filter(() => random() < 0.5);
    const definitions = keys.map((key) => testDefinition(key, { required: !late.includes(key) && random() < 0.5 }));
    const { engine, host, connector, clock } = createTestEngine({ servers: definitions, toolbox: QUALIFY });
    const ends = new Map<string, { comeUp: () => void; fail: (error: Error) => void }>();
    const shuffle = (key: string) => {
      connector.server(key).tools = pool.filter(() => random() < 0.5).map((name) => ({ name }));
      if (connector.opened(key) > 0) connector.toolsChanged(key);
    };
    for (const key of keys) shuffle(key);
    for (const key of late) {
      connector.server(key).ready = new Promise<void>((comeUp, fail) => void ends.set(key, { comeUp, fail }));
      connector.server(key).ready?.catch(() => undefined);
    }
    const meaning = new Map<string, string>();
    const calls: Promise<void>[] = [];
    /** A call may wait for servers; whenever it is made, from then on its name means the tool that got it. */
    const callOne = async () => {
      const name = pick(["echo", "Echo", "find"]);
      const { ref } = await engine.calls.make({ tool: name, arguments: {} });
      if (ref === undefined) return;
      const tool = `${ref.server}/${ref.name}`;
      expect([name, meaning.get(name) ?? tool]).toEqual([name, tool]);
      meaning.set(name, tool);
    };
    await host.start(undefined, JOIN_LATER);
    for (let count = 0; count < 20; count += 1) {
      const step = between(random, 0, 3);
      if (step === 0) ends.get(pick(keys))?.comeUp();
      if (step === 1) ends.get(pick(keys))?.fail(new ConnectionError("unreachable", "it is down"));
      if (step === 2) shuffle(pick(keys));
      if (step === 3) calls.push(callOne());
      await new Promise((resolve) => setImmediate(resolve));
      for (const { shownName, ref } of await engine.tools.list()) {
        const tool = `${ref.server}/${ref.name}`;
        expect([shownName, meaning.get(shownName) ?? tool]).toEqual([shownName, tool]);
      }
    }
    for (const { comeUp } of ends.values()) comeUp();
    await Promise.all(calls);
    const stopped = host.stop(0);
    clock.advance(0);
    await stopped;
  },
);
