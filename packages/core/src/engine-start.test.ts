import { describe, expect, it } from "vitest";
import { ConnectionError } from "./domain/connection.ts";
import type { Engine } from "./domain/engine.ts";
import type { EngineEvent } from "./domain/events.ts";
import { createMemoryStore, createTestEngine, testDefinition, waitUntil } from "./testing/index.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const refused = new ConnectionError("unreachable", "connection refused");
const remote = (url: string) => ({ transport: "http", url, headers: {}, authentication: { type: "none" } }) as const;

async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await turn();
}

describe("starting", () => {
  it("S4.18 D.1 T4.7 reports every unreachable required server and every strict violation at once", async () => {
    const { engine, connector, logger } = createTestEngine({
      servers: [
        testDefinition("one", { required: true, launch: remote("http://localhost:1/mcp") }),
        testDefinition("two", { required: true, launch: remote("http://localhost:2/mcp?token=abcdef") }),
        testDefinition("three", { mode: "strict" }),
      ],
    });
    connector.server("one").refuse = refused;
    connector.server("two").refuse = refused;
    connector.server("three").tools = [{ name: "x" }];
    const { problems } = await engine.start();
    expect(problems.map(({ kind, server }) => [kind, server])).toEqual([
      ["unreachable", "one"],
      ["unreachable", "two"],
      ["strict-violation", "three"],
    ]);
    expect(problems[1]?.text).toBe(
      `Failed to connect to MCP server 'two' at http://localhost:2/mcp
Error: connection refused

The application cannot start without connecting to all configured MCP servers.`,
    );
    expect(logger.texts("error")).toEqual(problems.map(({ text }) => text));
    await engine.stop();
    expect(connector.closed("three")).toBe(1);
  });

  it("S2.9 one bad server is a warning and the rest goes on", async () => {
    const { engine, connector, logger } = createTestEngine({ servers: [testDefinition("bad"), testDefinition("good")] });
    connector.server("bad").refuse = refused;
    connector.server("good").tools = [{ name: "a" }];
    expect((await engine.start()).problems).toEqual([]);
    expect(logger.texts("warn")).toEqual(["mcp: server 'bad' failed to connect: connection refused"]);
    expect(logger.texts("info")[0]).toBe("mcp: server 'good' connected (1 tools)");
    expect((await engine.listServers()).map(({ status, cause }) => [status, cause])).toEqual([
      ["error", "connection refused"],
      ["connected", undefined],
    ]);
    await engine.stop();
  });

  it("a server that was down at start joins when it comes up", async () => {
    const { engine, connector, clock } = createTestEngine({ servers: [testDefinition("late")] });
    connector.server("late").refuse = refused;
    connector.server("late").tools = [{ name: "a" }];
    await engine.start();
    delete connector.server("late").refuse;
    clock.advance(60_000);
    await waitUntil(async () => (await engine.listTools()).length === 1);
    expect((await engine.listTools()).map(({ shownName }) => shownName)).toEqual(["a"]);
    await engine.stop();
  });

  it("D.26 a disabled server is never connected and contributes nothing", async () => {
    const { engine, connector } = createTestEngine({ servers: [testDefinition("off", { enabled: false })] });
    await engine.start();
    expect(connector.opened("off")).toBe(0);
    expect((await engine.listServers()).map(({ status }) => status)).toEqual(["disabled"]);
  });

  it("S4.11 local tools take the same path, and unknown ones are said", async () => {
    const { engine } = createTestEngine({
      toolbox: {
        local: ["sum_numbers", "multiply_numbers", "current_time", "guess"],
        tools: [{ name: "sum_numbers" }, { name: "multiply_numbers" }, { name: "current_time" }],
      },
    });
    const { problems } = await engine.start();
    expect(problems.map(({ text }) => text)).toEqual([
      "toolbox.local names 'guess', which is not a local tool. Local tools: sum_numbers, multiply_numbers, current_time",
    ]);
    const call = async (tool: string, args: Record<string, never> | { numbers: number[] } | { timezone: string }) => {
      const outcome = await engine.callTool({ tool, arguments: args });
      return outcome.status === "success" ? outcome.result.content[0]?.text : outcome.failure.message;
    };
    expect(await call("sum_numbers", { numbers: [1, 2, 3.5] })).toBe("6.5");
    expect(await call("multiply_numbers", { numbers: [2, 3, 4] })).toBe("24");
    expect(await call("current_time", {})).toBe("2026-01-01 00:00:00 UTC");
    expect(await call("current_time", { timezone: "Europe/Berlin" })).toBe("2026-01-01 01:00:00 Europe/Berlin");
    expect(await call("current_time", { timezone: "Nowhere/Land" })).toMatch(/Nowhere\/Land/);
    await engine.stop();
  });

  it("S4.28 registration follows configuration order, not the order of connecting", async () => {
    const { engine, connector } = createTestEngine({ servers: [testDefinition("slow"), testDefinition("fast")] });
    connector.server("slow").tools = [{ name: "find" }];
    connector.server("fast").tools = [{ name: "find" }];
    await engine.start();
    const [tool] = await engine.listTools();
    expect(tool?.ref.server).toBe("fast");
    await engine.stop();
  });

  it("retries as often as the definition says, but not what cannot help", async () => {
    const { engine, connector, clock } = createTestEngine({
      servers: [testDefinition("flaky", { retryAttempts: 2, reconnect: "never" }), testDefinition("wrong", { retryAttempts: 2 })],
    });
    connector.server("flaky").refuse = refused;
    connector.server("wrong").refuse = new ConnectionError("sign-in-needed", "HTTP 401: Unauthorized");
    const started = engine.start();
    for (const attempts of [1, 2]) {
      await waitUntil(() => connector.opened("flaky") === attempts && clock.pending() > 0);
      await settle();
      clock.advance(2_000);
    }
    await started;
    expect([connector.opened("flaky"), connector.opened("wrong")]).toEqual([3, 1]);
    expect(failureText(await engine.listServers())).toContain("HTTP 401: Unauthorized");
    await engine.stop();
  });

  it("a server that says nothing ends at its timeout", async () => {
    const { engine, clock } = createTestEngine({
      servers: [testDefinition("mute", { timeoutMs: 4_000 })],
      ports: { connectors: [{ transports: ["stdio"], open: (_definition, _options, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(refused))) }] },
    });
    const started = engine.start();
    await settle();
    clock.advance(4_000);
    await started;
    expect(failureText(await engine.listServers())).toEqual(["no answer within 4 s"]);
    await engine.stop();
  });

  it("a transport nobody can open here is said plainly", async () => {
    const { engine } = createTestEngine({ servers: [testDefinition("s")], ports: { connectors: [] } });
    await engine.start();
    expect(failureText(await engine.listServers())).toEqual(["stdio transport not supported here"]);
  });

  it("recovers the calls of a dead process before anything else", async () => {
    const store = createMemoryStore({ owner: "test" });
    await store.calls.save({ id: "old", scope: "agent", server: "s", toolName: "t", shownName: "t", arguments: {}, status: "running", startedAt: "2026-01-01T00:00:00.000Z", owner: "dead" });
    const { engine, logger } = createTestEngine({ ports: { store } });
    await engine.start();
    expect(await engine.listCalls({ limit: 1 })).toMatchObject([{ id: "old", status: "error", ending: "interrupted" }]);
    expect(logger.texts("warn")).toEqual(["1 calls of a process that died were marked interrupted"]);
  });
});

describe("while running", () => {
  async function running(definition = testDefinition("s"), toolbox = {}) {
    const test = createTestEngine({ servers: [definition], toolbox });
    test.connector.server("s").tools = [{ name: "a" }];
    const report = await test.engine.start();
    test.logger.lines.length = 0;
    const change = async (...tools: unknown[]) => {
      test.connector.server("s").tools = tools;
      const seen = nextEvent(test.engine, "toolbox-changed");
      test.connector.toolsChanged("s");
      await seen;
    };
    return { ...test, report, change };
  }

  it("list_changed on a dynamic server: a new tool registers, a gone one leaves (S4.22, S4.24)", async () => {
    const { engine, change, logger } = await running();
    const events: EngineEvent[] = [];
    engine.subscribe((event) => events.push(event));
    await change({ name: "b" });
    expect((await engine.listTools()).map(({ shownName }) => shownName)).toEqual(["b"]);
    expect(logger.lines).toEqual([
      { level: "info", text: "New tool 'b' discovered from MCP server 's', registering with default configuration" },
      { level: "warn", text: "Tool 'a' was configured but is no longer available from MCP server 's'" },
    ]);
    expect(events).toContainEqual({ type: "toolbox-changed", added: ["b"], removed: ["a"] });
  });

  it("list_changed on a strict server: an unconfigured tool stays out, is logged as S4.17, and nothing dies", async () => {
    const { engine, change, logger } = await running(testDefinition("s", { mode: "strict" }), { tools: [{ name: "a" }] });
    await change({ name: "a" }, { name: "sneaky" });
    expect((await engine.listTools()).map(({ shownName }) => shownName)).toEqual(["a"]);
    expect(logger.texts("error")[0]).toMatch(/^Tool 'sneaky' from MCP server 's' is not configured in the toolbox\./);
    expect((await engine.callTool({ tool: "a", arguments: {} })).status).toBe("success");
    expect((await engine.callTool({ tool: "sneaky", arguments: {} })).status).toBe("error");
  });

  it("says each fact once, not once per change", async () => {
    const { change, logger } = await running();
    await change({ name: "a" }, { name: "b" });
    await change({ name: "a" }, { name: "b" }, { name: "c" });
    expect(logger.texts("info").filter((line) => line.includes("'b'"))).toHaveLength(1);
  });

  it("a list that cannot be read leaves the toolbox as it was", async () => {
    const { engine, connector, logger } = await running();
    const broken = connector.server("s");
    Object.defineProperty(broken, "tools", {
      get: () => {
        throw new ConnectionError("protocol-error", "not a list");
      },
    });
    connector.toolsChanged("s");
    await waitUntil(() => logger.texts("warn").length > 0);
    expect(logger.texts("warn")).toEqual(["MCP server 's' said its tools changed but could not list them: not a list"]);
    expect((await engine.listTools()).map(({ shownName }) => shownName)).toEqual(["a"]);
  });

  it("D.7 reconnects after a drop and lists again", async () => {
    const { engine, connector, clock } = await running();
    const seen: string[] = [];
    engine.subscribe((event) => event.type === "connection-changed" && seen.push(event.status));
    connector.server("s").tools = [{ name: "a" }, { name: "b" }];
    connector.drop("s", "it exited with code 1");
    clock.advance(500);
    await waitUntil(() => seen.includes("connected"));
    expect(seen).toEqual(["error", "connecting", "connected"]);
    expect((await engine.listTools()).map(({ shownName }) => shownName)).toEqual(["a", "b"]);
  });

  it("D.7 reconnect: never stays down until asked", async () => {
    const { engine, connector, clock } = await running(testDefinition("s", { reconnect: "never" }));
    connector.drop("s", "it exited");
    clock.advance(120_000);
    await settle();
    expect(connector.opened("s")).toBe(1);
    expect(await engine.callTool({ tool: "a", arguments: {} })).toMatchObject({ failure: { ending: "unreachable" } });
  });

  it("T16 a changed definition runs with a warning, and is blocked where the server says so until trusted", async () => {
    const changed = { name: "a", description: "now does something else" };
    const warned = await running();
    await warned.change(changed);
    expect((await warned.engine.callTool({ tool: "a", arguments: {} })).status).toBe("success");
    expect(warned.logger.texts("warn")).toEqual([
      "Tools of MCP server 's' changed since they were first used: a. They still run; to accept them run: tacklebox trust s",
      "The definition of tool 'a' changed since it was first used",
    ]);

    const blocked = await running(testDefinition("s", { pin: "block" }));
    await blocked.change(changed);
    expect(await blocked.engine.callTool({ tool: "a", arguments: {} })).toMatchObject({ failure: { ending: "denied" } });
    expect(await blocked.engine.trustTools("nobody")).toEqual([]);
    expect(await blocked.engine.trustTools("s", "other")).toEqual([]);
    expect(await blocked.engine.trustTools("s")).toEqual(["a"]);
    expect((await blocked.engine.callTool({ tool: "a", arguments: {} })).status).toBe("success");
  });

  it("stopping lets calls end, then cancels what is left", async () => {
    const { engine, connector, clock } = await running();
    connector.server("s").answer = () => new Promise(() => undefined);
    const call = engine.callTool({ tool: "a", arguments: {} });
    await waitUntil(() => connector.calls.length === 1);
    const stopped = engine.stop(1_000);
    await settle();
    expect(await engine.callTool({ tool: "a", arguments: {} })).toMatchObject({ failure: { ending: "unreachable" } });
    clock.advance(1_000);
    expect(await call).toMatchObject({ failure: { ending: "cancelled" } });
    await stopped;
    expect(connector.closed("s")).toBe(1);
  });

  it("stopping while a server still connects leaves nothing open", async () => {
    const { engine } = createTestEngine({
      servers: [testDefinition("mute")],
      ports: { connectors: [{ transports: ["stdio"], open: (_definition, _options, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(refused))) }] },
    });
    const abort = new AbortController();
    const started = engine.start(abort.signal);
    await settle();
    abort.abort();
    await started;
    await engine.stop();
    expect((await engine.listServers()).map(({ status }) => status)).toEqual(["disconnected"]);
  });
});

describe("the inventory", () => {
  it("D.19 is written by successful starts only, and tells new from known at the next", async () => {
    const store = createMemoryStore({ owner: "test" });
    const start = async (tools: string[], required = false) => {
      const servers = [testDefinition("s"), testDefinition("dead", { required })];
      const test = createTestEngine({ servers, ports: { store } });
      test.connector.server("s").tools = tools.map((name) => ({ name }));
      test.connector.server("dead").refuse = refused;
      await test.engine.start();
      await test.engine.stop();
      return test.logger.texts("info").filter((line) => line.includes("ool '"));
    };
    expect(await start(["a"], true)).toEqual(["Tool 'a' from MCP 's' not explicitly configured, using default configuration"]);
    expect(await store.inventory.load("agent", "s")).toBeUndefined();
    await start(["a"]);
    expect(await start(["a", "b"])).toEqual([
      "Tool 'a' from MCP 's' not explicitly configured, using default configuration",
      "New tool 'b' discovered from MCP server 's', registering with default configuration",
    ]);
  });
});

describe("explaining a tool", () => {
  it("tells the whole chain for one that can be called, and where it stops for one that cannot", async () => {
    const { engine, connector } = createTestEngine({
      servers: [
        testDefinition("first", { deny: ["secret"], approval: "ask" }),
        testDefinition("second", { mode: "strict" }),
        testDefinition("down"),
      ],
      toolbox: { tools: [{ name: "find", maxInstances: 2, timeoutMs: 3_000 }, { name: "ghost" }, { name: "off", approval: "deny" }] },
    });
    connector.server("first").tools = [{ name: "find" }, { name: "secret" }, { name: "bad", inputSchema: 1 }, { name: "dot.name" }, { name: "off" }];
    connector.server("second").tools = [{ name: "find" }, { name: "extra" }];
    connector.server("down").refuse = refused;
    await engine.start();
    const told = async (name: string, server?: string) =>
      (await engine.explainTool(name, server)).map(({ callable, steps }) => [callable, ...steps.map(({ step, text }) => `${step}: ${text}`)]);
    expect(await told("find")).toEqual([
      [
        true,
        "declared: listed by 'second', which is connected",
        "mode: strict, configured in toolbox.tools",
        "allow/deny: no list keeps it out",
        "pin: its definition is the one first used",
        "limits: 2 at once, PT3S each (from its own entry)",
        "approval: as the door decides; command-line calls run it",
        "result: callable as find",
      ],
      [
        false,
        "declared: listed by 'first', which is connected",
        "mode: dynamic, configured in toolbox.tools",
        "allow/deny: no list keeps it out",
        "collision: hidden by the tool of the same name from 'second'; set toolbox.collisions to qualify to show it as first__find",
        "result: not callable: hidden by the tool of the same name from 'second'; set toolbox.collisions to qualify to show it as first__find",
      ],
    ]);
    expect((await told("find", "first")).map(([callable]) => callable)).toEqual([false]);
    expect((await told("secret"))[0]?.at(-1)).toBe("result: not callable: the deny list of 'first' names it");
    expect((await told("extra"))[0]?.at(-1)).toBe("result: not callable: 'second' is strict and the tool is not in toolbox.tools");
    expect((await told("bad"))[0]?.[1]).toMatch(/^declared: listed by 'first' but set aside: inputSchema/);
    expect((await told("dot.name"))[0]).toContain("collision: shown to models as dot_name");
    expect((await told("dot_name"))[0]).toContain("approval: approval: ask; a door with nobody to ask denies it");
    expect((await told("off"))[0]?.at(-1)).toBe("result: not callable: approval: deny");
    expect((await told("ghost"))[0]?.at(-1)).toBe("result: not callable: no connected server or local tool provides it (not connected: 'down')");
    expect(await told("never_heard_of")).toEqual([]);
    await engine.stop();
  });
});

function nextEvent(engine: Engine, type: EngineEvent["type"]): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = engine.subscribe((event) => {
      if (event.type !== type) return;
      unsubscribe();
      resolve();
    });
  });
}

function failureText(servers: readonly { readonly cause?: string }[]): string[] {
  return servers.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));
}
