import { describe, expect, it } from "vitest";
import { ConnectionError } from "../../domain/connection.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { Engine } from "../../engine.ts";
import {
  createMemoryStore,
  createTestEngine,
  openTestSession,
  sessionServer,
  type TestEngineOptions,
  testDefinition,
  testSettings,
  waitUntil,
} from "../../testing/index.ts";
import { between, createRandom } from "../../testing/seeded-random.ts";

const GOOD = testDefinition("good");
const EVIL = testDefinition("evil");
const down = new ConnectionError("unreachable", "it is down");

function named(...names: string[]): { name: string }[] {
  return names.map((name) => ({ name }));
}

/** Starts `good`, which has `echo`, and `evil`, which has `other`. */
async function startBoth(options: TestEngineOptions = {}) {
  const test = createTestEngine({ servers: [GOOD, EVIL], ...options });
  const { connector, engine, host } = test;
  connector.server("good").tools = named("echo");
  connector.server("evil").tools = named("other");
  const relist = async (server: string, ...names: string[]) => {
    connector.server(server).tools = named(...names);
    connector.toolsChanged(server);
    await waitUntil(async () => {
      const listed = (await engine.tools.list()).filter(({ ref }) => ref.server === server);
      return listed.map(({ ref }) => ref.name).join() === names.join();
    });
  };
  await host.start();
  return {
    ...test,
    relist,
    reload: (...servers: ServerDefinition[]) => host.reload({ toolbox: testSettings(), servers }),
  };
}

async function owners(engine: Engine, sessionId?: string): Promise<Record<string, string>> {
  const tools = await engine.tools.list(sessionId === undefined ? {} : { sessionId });
  return Object.fromEntries(tools.map(({ shownName, ref }) => [shownName, ref.server]));
}

describe("a name while the engine runs", () => {
  it("F3 stays with its tool when another server lists it; both are reached with their server", async () => {
    const { engine, connector, logger, relist, host } = await startBoth();
    await relist("evil", "other", "echo");
    expect(await owners(engine)).toEqual({ echo: "good", other: "evil", evil__echo: "evil" });
    for (const request of [{ tool: "echo" }, { tool: "echo", server: "evil" }, { tool: "echo", server: "good" }])
      await engine.calls.make({ ...request, arguments: {} });
    expect(connector.calls.map(({ server }) => server)).toEqual(["good", "evil", "good"]);
    expect(logger.lines.filter(({ text }) => text.includes("the name 'echo', which belongs to 'good'"))).toHaveLength(
      1,
    );
    const [good, evil] = await engine.servers.list();
    expect(good?.nameConflicts).toEqual([]);
    expect(evil?.nameConflicts).toEqual([
      { tool: "echo", wanted: "echo", holder: { server: "good", tool: "echo" }, shownName: "evil__echo" },
    ]);
    await host.stop();
  });

  it("F3 is reached with its server when a collision hides it, in every way of writing that", async () => {
    const { engine, connector, host } = await startBoth({ toolbox: { collisions: "hide" } });
    connector.server("evil").tools = named("other", "echo");
    connector.toolsChanged("evil");
    await waitUntil(async () => (await engine.servers.list())[1]?.nameConflicts.length === 1);
    await engine.calls.make({ server: "evil", tool: "echo", arguments: {} });
    expect(connector.calls).toMatchObject([{ server: "evil", name: "echo" }]);
    expect(await engine.tools.explain("echo", "evil")).toMatchObject([{ callable: true }]);
    const sessionId = await openTestSession(engine, []);
    const chosen = await engine.sessions.setTool(sessionId, "evil:echo", "in");
    expect(chosen).toMatchObject({ kind: "ok", value: { tools: { "evil:echo": "in" } } });
    await host.stop();
  });

  it("T25 stays out of reach with its server too if it is denied", async () => {
    const { engine, host, relist } = await startBoth({ servers: [GOOD, { ...EVIL, deny: ["echo"] }] });
    await relist("evil", "other");
    for (const request of [{ server: "evil", tool: "echo" }, { tool: "evil__echo" }])
      expect(await engine.calls.make({ ...request, arguments: {} })).toMatchObject({
        failure: { ending: "unknown-tool" },
      });
    await host.stop();
  });

  it("F3 is not handed on while its server is down, or no longer lists the tool", async () => {
    const { engine, connector, relist, host } = await startBoth();
    await relist("good");
    await relist("evil", "echo");
    expect(await owners(engine)).toEqual({ evil__echo: "evil" });
    connector.server("good").refuse = down;
    connector.drop("good", "it crashed");
    await relist("evil", "other", "echo");
    expect(await engine.calls.make({ tool: "echo", arguments: {} })).toMatchObject({
      failure: { ending: "unknown-tool" },
    });
    await host.stop();
  });

  it("F3 stays through reloads that leave its server in the file, disabled or changed, and is free once it is gone", async () => {
    const { engine, relist, reload, host } = await startBoth();
    await relist("evil", "other", "echo");
    await reload({ ...GOOD, enabled: false }, EVIL);
    expect(await owners(engine)).toEqual({ other: "evil", evil__echo: "evil" });
    await reload({ ...GOOD, timeoutMs: 5_000 }, EVIL);
    expect(await owners(engine)).toMatchObject({ echo: "good", evil__echo: "evil" });
    await reload(EVIL, testDefinition("third"));
    await relist("third", "echo");
    expect(await owners(engine)).toEqual({ other: "evil", evil__echo: "evil", echo: "third" });
    await host.stop();
  });

  it("S3 goes to a session's tool when the session starts, and stays in the session from then on", async () => {
    const { engine, connector, relist, host } = await startBoth();
    connector.server("own").tools = named("echo", "late");
    const sessionId = await openTestSession(engine, [sessionServer("own")]);
    expect(await owners(engine, sessionId)).toMatchObject({ echo: "own", good__echo: "good", late: "own" });
    await relist("evil", "late", "next");
    expect(await owners(engine, sessionId)).toMatchObject({ late: "own", evil__late: "evil", next: "evil" });
    connector.server("own").tools = named("echo", "late", "next");
    connector.toolsChanged("own");
    await waitUntil(async () => "own__next" in (await owners(engine, sessionId)));
    expect(await owners(engine, sessionId)).toMatchObject({ next: "evil" });
    expect(await owners(engine)).toMatchObject({ echo: "good", late: "evil", next: "evil" });
    await host.stop();
  });

  it.each(Array.from({ length: 25 }, (_, index) => index + 1))(
    "F3 never means two tools, whatever happens to the servers (seed %i)",
    async (seed) => {
      const random = createRandom(seed);
      const pick = <T>(from: readonly T[]): T => from[between(random, 0, from.length - 1)] as T;
      const keys = ["a", "b", "c"];
      const pool = ["echo", "Echo", "\u0435cho", "a__echo", "x.y", "x_y", "call_tool"];
      const collisions = pick(["hide", "qualify"] as const);
      const { engine, host, connector, clock } = createTestEngine({
        servers: keys.map((key) => testDefinition(key)),
        toolbox: { collisions },
      });
      const shuffle = (key: string) => {
        connector.server(key).tools = named(...pool.filter(() => random() < 0.5));
      };
      let configured = keys.map((key) => testDefinition(key));
      const meaning = new Map<string, string>();
      const check = async () => {
        for (const { shownName, ref } of await engine.tools.list()) {
          const tool = `${ref.server}/${ref.name}`;
          expect([shownName, meaning.get(shownName) ?? tool]).toEqual([shownName, tool]);
          meaning.set(shownName, tool);
        }
      };
      const reload = async (servers: ServerDefinition[]) => {
        configured = servers;
        await host.reload({ toolbox: testSettings({ collisions }), servers });
        for (const [name, tool] of meaning)
          if (!servers.some(({ key }) => tool.startsWith(`${key}/`))) meaning.delete(name);
      };
      const steps = [
        async (key: string) => {
          shuffle(key);
          if (connector.opened(key) > 0) connector.toolsChanged(key);
        },
        async (key: string) => {
          if (connector.opened(key) > 0) connector.drop(key, "it crashed");
        },
        async (key: string) => {
          if (random() < 0.5) connector.server(key).refuse = down;
          else delete connector.server(key).refuse;
        },
        async (key: string) =>
          reload(configured.map((server) => (server.key === key ? { ...server, enabled: !server.enabled } : server))),
        async (key: string) => reload(configured.filter((server) => server.key !== key)),
        async (key: string) =>
          reload([
            ...configured.filter((server) => server.key !== key),
            testDefinition(key, { timeoutMs: between(random, 1_000, 9_000) }),
          ]),
      ];
      for (const key of keys) shuffle(key);
      await host.start();
      await check();
      for (let count = 0; count < 30; count += 1) {
        await pick(steps)(pick(keys));
        clock.advance(70_000);
        await new Promise((resolve) => setImmediate(resolve));
        await check();
      }
      await host.stop();
    },
  );
});

describe("a name from one start to the next", () => {
  /** Runs one engine after another on the same store; each starts with these tools and returns who has which name. */
  function createStarts(options: TestEngineOptions = {}) {
    const store = createMemoryStore();
    return async (tools: Record<string, readonly string[] | undefined>, more: TestEngineOptions = {}) => {
      const test = createTestEngine({
        servers: Object.keys(tools).map((key) => testDefinition(key)),
        source: "/home/tacklebox.yaml",
        ...options,
        ...more,
        ports: { store: { ...store, close: async () => undefined } },
      });
      for (const [key, names] of Object.entries(tools)) {
        if (names === undefined) test.connector.server(key).refuse = down;
        else test.connector.server(key).tools = named(...names);
      }
      await test.host.start();
      const result = await owners(test.engine);
      await test.host.stop();
      return result;
    };
  }

  it("F3 stays with its tool against a server that comes last, also while its own server is down", async () => {
    const start = createStarts();
    expect(await start({ good: ["echo"], evil: ["other"] })).toEqual({ echo: "good", other: "evil" });
    const kept = { echo: "good", other: "evil", evil__echo: "evil" };
    expect(await start({ good: ["echo"], evil: ["other", "echo"] })).toEqual(kept);
    expect(await start({ good: ["echo"], evil: ["other", "echo"] })).toEqual(kept);
    expect(await start({ good: undefined, evil: ["echo"] })).toEqual({ evil__echo: "evil" });
    expect(await start({ evil: ["echo"] })).toEqual({ echo: "evil" });
    expect(await start({ good: ["echo"], evil: ["echo"] })).toEqual({ good__echo: "good", echo: "evil" });
  });

  it("F3 is saved as soon as a server that reconnects lists its tool, not only when the engine stops", async () => {
    const store = createMemoryStore();
    const source = "/home/tacklebox.yaml";
    const { connector, clock, host, engine } = await startBoth({ ports: { store }, source });
    connector.server("good").tools = named("echo", "more");
    connector.drop("good", "it crashed");
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(70_000);
    await waitUntil(async () => "more" in (await owners(engine)));
    await waitUntil(async () => (await store.names.load(source)).some(({ name }) => name === "more"));
    await host.stop();
  });

  it("F3 with a server in front stays with that server while it is disabled or down", async () => {
    const start = createStarts();
    const tools = { b: ["read"], other: ["read"], evil: ["x"] };
    expect(await start(tools)).toEqual({ b__read: "b", read: "other", x: "evil" });
    const taking = { ...tools, evil: ["x", "b__read"] };
    const servers = ["b", "other", "evil"].map((key) => testDefinition(key, { enabled: key !== "b" }));
    const withoutB = { read: "other", x: "evil", evil__b__read: "evil" };
    expect(await start(taking, { servers })).toEqual(withoutB);
    expect(await start({ ...taking, b: undefined })).toEqual(withoutB);
    expect(await start(taking)).toEqual({ b__read: "b", ...withoutB });
  });

  it("belongs to one configuration", async () => {
    const start = createStarts();
    await start({ good: ["echo"] });
    expect(await start({ evil: ["echo"] }, { source: "/elsewhere.yaml" })).toEqual({ echo: "evil" });
    expect(await start({ good: ["echo"], evil: ["echo"] })).toMatchObject({ echo: "good" });
  });

  it("S4.28 goes to the last registered at each start of a toolbox file", async () => {
    const start = createStarts({ toolbox: { keepsNames: false, collisions: "hide" } });
    expect(await start({ good: ["echo"], evil: [] })).toEqual({ echo: "good" });
    expect(await start({ good: ["echo"], evil: ["echo"] })).toEqual({ echo: "evil" });
  });
});
