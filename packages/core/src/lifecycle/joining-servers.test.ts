import { describe, expect, it } from "vitest";
import { MAX_QUEUE_LENGTH } from "../call/slots/rooms.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { createMemoryStore, createTestEngine, testDefinition, testSettings, waitUntil } from "../testing/index.ts";

const JOIN_LATER = { kind: "join-later" } as const;
const refused = new ConnectionError("unreachable", "connection refused");
const DOWN = "Server 'late' is down: connection refused. For its status, run: show the servers";
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Servers by key, each with its tools. Those in `late` come up, or fail, only when the test says so. */
function setUp(
  tools: Readonly<Record<string, readonly string[]>>,
  late: readonly string[],
  options: Parameters<typeof createTestEngine>[0] & { definitions?: Record<string, Partial<ServerDefinition>> } = {},
) {
  const { definitions = {}, ...rest } = options;
  const servers = Object.keys(tools).map((key) => testDefinition(key, definitions[key]));
  const test = createTestEngine({ servers, ...rest });
  const arrivals = new Map<string, { readonly comeUp: () => void; readonly fail: (error: Error) => void }>();
  for (const [key, names] of Object.entries(tools)) {
    const server = test.connector.server(key);
    server.tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
    if (!late.includes(key)) continue;
    const ready = new Promise<void>((comeUp, fail) => void arrivals.set(key, { comeUp, fail }));
    // It may fail before it is opened.
    ready.catch(() => undefined);
    server.ready = ready;
  }
  const call = (server: string, tool: string) => test.engine.calls.make({ server, tool, arguments: {} });
  const callTool = (tool: string) => test.engine.calls.make({ tool, arguments: {} });
  const shown = async () => (await test.engine.tools.list()).map(({ shownName, ref }) => [shownName, ref.server]);
  const isUp = async (key: string) =>
    (await test.engine.servers.list()).some((server) => server.key === key && server.status === "connected");
  return {
    ...test,
    comeUp: (key: string) => arrivals.get(key)?.comeUp(),
    fails: (key: string) => arrivals.get(key)?.fail(refused),
    isUp,
    call,
    callTool,
    shown,
  };
}

describe("a start that lets optional servers join later", () => {
  it("F5 is over while one is still connecting; a call waits for the server it names, and for no other", async () => {
    const { host, engine, call, comeUp } = setUp({ ok: ["a"], late: ["b"] }, ["late"]);
    expect(await host.start(undefined, JOIN_LATER)).toEqual({ problems: [] });
    expect((await call("ok", "a")).status).toBe("success");
    const waiting = call("late", "b");
    expect((await engine.servers.list()).map(({ status }) => status)).toEqual(["connected", "connecting"]);
    comeUp("late");
    expect(await waiting).toMatchObject({ status: "success", ref: { server: "late" } });
    await host.joined();
    await host.stop();
  });

  it("is held up by a silent strict server for 1 s; what that lists later is kept out, and an error in the log", async () => {
    const definitions = { strict: { mode: "strict" as const } };
    const { host, clock, comeUp, call, logger } = setUp({ strict: ["b"], ok: ["a"] }, ["strict"], { definitions });
    let isOver = false;
    const started = host.start(undefined, JOIN_LATER).finally(() => {
      isOver = true;
    });
    await waitUntil(async () => clock.pending() > 0);
    clock.advance(999);
    await turn();
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await started).toEqual({ problems: [] });
    expect((await call("ok", "a")).status).toBe("success");
    comeUp("strict");
    await host.joined();
    expect(await call("strict", "b")).toMatchObject({ status: "error" });
    expect(logger.texts("error")).toEqual([
      expect.stringContaining("Tool 'b' from MCP server 'strict' is not configured in the toolbox."),
    ]);
    await host.stop();
  });

  it("waits for those that can stop it: required ones and strict ones", async () => {
    const definitions = { required: { required: true }, strict: { mode: "strict" as const } };
    const { host, comeUp, fails, call } = setUp(
      { required: ["a"], strict: ["b"], late: [] },
      ["required", "strict", "late"],
      {
        definitions,
      },
    );
    let isOver = false;
    const started = host.start(undefined, JOIN_LATER).finally(() => {
      isOver = true;
    });
    comeUp("strict");
    await turn();
    expect(isOver).toBe(false);
    fails("required");
    expect((await started).problems.map(({ kind, server }) => [kind, server])).toEqual([
      ["unreachable", "required"],
      ["strict-violation", "strict"],
    ]);
    expect(await call("required", "a")).toMatchObject({ failure: { ending: "unreachable" } });
    await host.stop();
  });

  it("says at once that one failed, once; calls that waited for it end as unreachable, with the cause", async () => {
    const { host, logger, call, fails } = setUp({ ok: ["a"], late: ["b"], silent: [] }, ["late", "silent"]);
    await host.start(undefined, JOIN_LATER);
    const waiting = call("late", "b");
    fails("late");
    const failure = { ending: "unreachable", message: DOWN };
    expect(await waiting).toMatchObject({ status: "error", failure });
    expect(await call("late", "b")).toMatchObject({ status: "error", failure });
    expect(logger.texts("warn")).toEqual(["mcp: server 'late' failed to connect: connection refused"]);
    await host.stop();
  });

  it("ends a call as unreachable while a server that failed is tried again", async () => {
    const { host, engine, connector, clock, call, fails, isUp } = setUp({ late: ["b"] }, ["late"]);
    await host.start(undefined, JOIN_LATER);
    fails("late");
    await host.joined();
    connector.server("late").ready = new Promise(() => undefined);
    clock.advance(60_000);
    await waitUntil(async () => (await engine.servers.list())[0]?.status === "connecting");
    expect([await isUp("late"), await call("late", "b")]).toMatchObject([
      false,
      {
        failure: {
          ending: "unreachable",
          message: DOWN,
        },
      },
    ]);
    await host.stop();
  });

  it("ends a waiting call as cancelled when it is cancelled", async () => {
    const { host, engine } = setUp({ late: ["b"] }, ["late"]);
    await host.start(undefined, JOIN_LATER);
    const waiting = engine.calls.make({ id: "mine", server: "late", tool: "b", arguments: {} });
    await waitUntil(() => engine.calls.cancel("mine"));
    expect(await waiting).toMatchObject({ failure: { ending: "cancelled", sent: false } });
    await host.stop();
  });

  it("F5 lets a bounded number of calls wait for it; the others end at once, and those of other servers go on", async () => {
    const { host, call, callTool, comeUp } = setUp({ ok: ["a"], late: ["b"] }, ["late"], {
      definitions: { ok: { required: true } },
    });
    await host.start(undefined, JOIN_LATER);
    const waiting = Array.from({ length: MAX_QUEUE_LENGTH }, () => call("late", "b"));
    const failure = {
      ending: "limit",
      message: "Server 'late' is still connecting, and too many calls wait for it. Call again once it is connected",
    };
    for (const more of [call("late", "b"), callTool("b")]) expect(await more).toMatchObject({ failure });
    expect((await callTool("a")).status).toBe("success");
    comeUp("late");
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set(["success"]));
    expect((await callTool("b")).status).toBe("success");
    await host.stop();
  });

  it("can be stopped while servers connect: nothing is left open, and nothing is reported as failed", async () => {
    const { host, connector, logger, clock, call } = setUp({ ok: ["a"], late: ["b"] }, ["late"]);
    await host.start(undefined, JOIN_LATER);
    const waiting = call("late", "b");
    const stopped = host.stop(0);
    clock.advance(0);
    await stopped;
    expect(await waiting).toMatchObject({ failure: { ending: "cancelled" } });
    await host.joined();
    expect([connector.live(), logger.texts("warn")]).toEqual([0, []]);
  });

  it("remembers what each offered, for the next start", async () => {
    const store = createMemoryStore();
    const first = setUp({ late: ["a"] }, ["late"], { ports: { store } });
    await first.host.start(undefined, JOIN_LATER);
    first.comeUp("late");
    await first.host.joined();
    await first.host.stop();
    const second = setUp({ late: ["a", "b"] }, [], { ports: { store } });
    await second.host.start();
    expect(second.logger.texts("info")).toContain(
      "New tool 'b' discovered from MCP server 'late', registering with default configuration",
    );
    await second.host.stop();
  });

  it("can be stopped after a start that failed was followed by a reload", async () => {
    const store = createMemoryStore();
    const names = { ...store.names, load: () => Promise.reject(new Error("damaged")) };
    const { host, connector } = setUp({ ok: ["a"] }, [], { ports: { store: { ...store, names } }, source: "/a" });
    await expect(host.start(undefined, JOIN_LATER)).rejects.toThrow("damaged");
    const servers = ["ok", "new"].map((key) => testDefinition(key));
    await host.reload({ toolbox: testSettings(), servers });
    await waitUntil(() => connector.opened("new") === 1);
    await host.stop();
    expect(connector.live()).toBe(0);
  });

  it("does not make a reload wait for new servers either", async () => {
    const { host, engine, connector, call } = setUp({ ok: ["a"], late: ["b"] }, ["late"]);
    await host.start(undefined, JOIN_LATER);
    connector.server("new").ready = new Promise(() => undefined);
    connector.server("good").tools = [{ name: "c" }];
    const servers = ["ok", "late", "new", "good"].map((key) => testDefinition(key));
    expect(await host.reload({ toolbox: testSettings(), servers })).toMatchObject({ problems: [] });
    expect((await call("good", "c")).status).toBe("success");
    expect((await engine.servers.list()).map(({ status }) => status)).toEqual([
      "connected",
      "connecting",
      "connecting",
      "connected",
    ]);
    await host.stop();
  });
});

describe("a start for one server", () => {
  it("F5 connects that one and the required ones, no other", async () => {
    const { host, connector, call } = setUp({ ok: ["a"], required: [], other: ["a"] }, [], {
      definitions: { required: { required: true } },
    });
    expect(await host.start(undefined, { kind: "one-server", server: "ok" })).toEqual({ problems: [] });
    expect((await call("ok", "a")).status).toBe("success");
    expect(["ok", "required", "other"].map(connector.opened)).toEqual([1, 1, 0]);
    await host.stop();
  });
});

describe("T17 names while servers are still coming", () => {
  /** Lets every server come up once, so that what each offers is known. */
  async function known(tools: Readonly<Record<string, readonly string[]>>) {
    const store = createMemoryStore();
    const { host, shown } = setUp(tools, [], { ports: { store }, toolbox: { collisions: "qualify" } });
    await host.start();
    const names = await shown();
    await host.stop();
    return { store, names };
  }

  it.each([[{ late: ["find"], ok: ["find"] }], [{ ok: ["find"], late: ["find"] }]])(
    "are the same as when all are up: %j",
    async (tools) => {
      const { store, names } = await known(tools);
      const { host, shown, isUp, comeUp, callTool } = setUp(tools, ["late"], {
        ports: { store },
        toolbox: { collisions: "qualify" },
      });
      await host.start(undefined, JOIN_LATER);
      await waitUntil(() => isUp("ok"));
      expect(await shown()).toEqual(names.filter(([, server]) => server === "ok"));
      const found = callTool("find");
      comeUp("late");
      expect(names).toContainEqual(["find", (await found).ref?.server]);
      await host.joined();
      expect(Object.fromEntries(await shown())).toEqual(Object.fromEntries(names));
      await host.stop();
    },
  );

  it.each([[["fast", "slow"]], [["slow", "fast"]]])(
    "are the same after a reload that adds servers as after a start: %j",
    async (keys) => {
      const { host, engine, connector, shown, callTool } = setUp({ ok: ["a"] }, []);
      await host.start();
      for (const key of keys) connector.server(key).tools = [{ name: "find" }];
      let comeUp: () => void = () => undefined;
      connector.server("slow").ready = new Promise<void>((resolve) => {
        comeUp = resolve;
      });
      const servers = ["ok", ...keys].map((key) => testDefinition(key));
      const reloaded = host.reload({ toolbox: testSettings({ collisions: "qualify" }), servers });
      await waitUntil(async () =>
        (await engine.servers.list()).some(({ key, toolCount }) => key === "fast" && toolCount === 1),
      );
      const found = callTool("find");
      await turn();
      comeUp();
      await reloaded;
      const [first, last] = keys;
      expect(Object.fromEntries(await shown())).toEqual({ a: "ok", find: last, [`${first}__find`]: first });
      expect((await found).ref?.server).toBe(last);
      await host.stop();
    },
  );

  it("that were shown before a reload are called while it waits for a new server", async () => {
    const { host, connector, callTool } = setUp({ ok: ["a"] }, []);
    await host.start();
    await callTool("a");
    connector.server("silent").ready = new Promise(() => undefined);
    const servers = ["ok", "silent"].map((key) => testDefinition(key));
    void host.reload({ toolbox: testSettings(), servers });
    await waitUntil(() => connector.opened("silent") === 1);
    expect((await callTool("a")).status).toBe("success");
    await host.stop();
  });

  it("are kept for a server that fails: a call of its tool says that it is down", async () => {
    const tools = { ok: ["find"], late: ["find", "seek"] };
    const { store } = await known(tools);
    const { host, shown, isUp, fails, callTool } = setUp(tools, ["late"], { ports: { store } });
    await host.start(undefined, JOIN_LATER);
    await waitUntil(() => isUp("ok"));
    expect(await shown()).toEqual([["ok__find", "ok"]]);
    const seek = callTool("seek");
    fails("late");
    const message = DOWN;
    expect(await seek).toMatchObject({ failure: { ending: "unreachable", message } });
    expect(await callTool("seek")).toMatchObject({ failure: { ending: "unreachable", message } });
    expect(await callTool("find")).toMatchObject({ failure: { ending: "unreachable", message } });
    for (const name of ["late__find", "late__seek"])
      expect(await callTool(name)).toMatchObject({ failure: { ending: "unreachable", message } });
    expect(await callTool("late__other")).toMatchObject({ failure: { ending: "unknown-tool" } });
    expect(await shown()).toEqual([["ok__find", "ok"]]);
    expect((await callTool("ok__find")).ref?.server).toBe("ok");
    await host.stop();
  });

  it("a tool that must not be called does not exist, also while its server is coming (T25)", async () => {
    const tools = { late: ["find"] };
    const { store } = await known(tools);
    const definitions = { late: { deny: ["find"] } };
    const { host, fails, callTool } = setUp(tools, ["late"], { ports: { store }, definitions });
    await host.start(undefined, JOIN_LATER);
    const found = callTool("find");
    fails("late");
    // The operator is told; whoever the tool is hidden from is not.
    expect(await found).toMatchObject({
      failure: {
        ending: "denied",
        message: "Tool call denied: the deny list of 'late' names 'find'. To allow it, remove it from that list",
        veil: { ending: "unknown-tool", message: "Unknown tool 'find'." },
      },
    });
    await host.stop();
  });

  it("wait for servers that were never seen, unless the tool had its name last time", async () => {
    const { store } = await known({ ok: ["find"] });
    const tools = { ok: ["find", "seek"], late: ["find", "seek"] };
    const { host, comeUp, callTool, shown } = setUp(tools, ["late"], { ports: { store } });
    await host.start(undefined, JOIN_LATER);
    expect((await callTool("find")).ref?.server).toBe("ok");
    const seek = callTool("seek");
    await turn();
    comeUp("late");
    expect((await seek).ref?.server).toBe("late");
    await host.joined();
    expect((await callTool("find")).ref?.server).toBe("ok");
    expect(Object.fromEntries(await shown())).toEqual({
      find: "ok",
      ok__seek: "ok",
      late__find: "late",
      seek: "late",
    });
    await host.stop();
  });
});
