import { describe, expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { Engine } from "../engine.ts";
import { createTestEngine, testDefinition, waitUntil } from "../testing/index.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const refused = new ConnectionError("unreachable", "connection refused");

async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await turn();
}

it.each([0, 1, 2, 3, 5, 8])("a server added while the engine starts loses no other (after %i turns)", async (turns) => {
  const { host, engine, connector } = createTestEngine({ servers: [testDefinition("a"), testDefinition("b")] });
  for (const key of ["a", "b", "c"]) connector.server(key).tools = [{ name: key }];
  const starting = host.start();
  for (let round = 0; round < turns; round += 1) await Promise.resolve();
  await engine.servers.add(testDefinition("c"));
  await starting;
  await engine.servers.connect("c");
  const views = await engine.servers.list();
  expect(views.map(({ key, status }) => `${key} ${status}`)).toEqual(["a connected", "b connected", "c connected"]);
  await host.stop();
  expect(connector.live()).toBe(0);
});

describe("while running", () => {
  async function running(definition = testDefinition("s"), toolbox = {}) {
    const test = createTestEngine({ servers: [definition], toolbox });
    test.connector.server("s").tools = [{ name: "a" }];
    const report = await test.host.start();
    test.logger.lines.length = 0;
    const change = async (...tools: unknown[]) => {
      test.connector.server("s").tools = tools;
      const seen = nextEvent(test.engine, "toolbox-changed");
      test.connector.toolsChanged("s");
      await seen;
    };
    return { ...test, report, change };
  }

  it("list_changed on a dynamic server: a new tool is registered, a missing one is removed (S4.22, S4.24)", async () => {
    const { engine, change, logger } = await running();
    const events: EngineEvent[] = [];
    listen(engine, (event) => events.push(event));
    await change({ name: "b" });
    expect((await engine.tools.list()).map(({ shownName }) => shownName)).toEqual(["b"]);
    expect(logger.lines).toEqual([
      { level: "info", text: "New tool 'b' discovered from MCP server 's', registering with default configuration" },
      { level: "warn", text: "Tool 'a' was configured but is no longer available from MCP server 's'" },
    ]);
    expect(events).toContainEqual({ type: "toolbox-changed", added: ["b"], removed: ["a"] });
  });

  it("list_changed on a strict server: an unconfigured tool stays out, is logged as S4.17, and nothing dies", async () => {
    const { engine, change, logger } = await running(testDefinition("s", { mode: "strict" }), {
      tools: [{ name: "a" }],
    });
    await change({ name: "a" }, { name: "sneaky" });
    expect((await engine.tools.list()).map(({ shownName }) => shownName)).toEqual(["a"]);
    expect(logger.texts("error")[0]).toMatch(/^Tool 'sneaky' from MCP server 's' is not configured in the toolbox\./);
    expect((await engine.calls.make({ tool: "a", arguments: {} })).status).toBe("success");
    expect((await engine.calls.make({ tool: "sneaky", arguments: {} })).status).toBe("error");
  });

  it("logs each fact once, not once per change", async () => {
    const { change, logger } = await running();
    await change({ name: "a" }, { name: "b" });
    await change({ name: "a" }, { name: "b" }, { name: "c" });
    expect(logger.texts("info").filter((line) => line.includes("'b'"))).toHaveLength(1);
  });

  it("a change that is announced while the tools are listed for the first time is not missed", async () => {
    const test = createTestEngine({ servers: [testDefinition("s")] });
    const server = test.connector.server("s");
    let lists = 0;
    const listTools = async () => {
      lists += 1;
      // The tools change after the answer was made.
      if (lists === 1) test.connector.toolsChanged("s");
      return { entries: [{ name: `tool_${lists}` }] };
    };
    server.offers = { listTools };
    await test.host.start();
    await waitUntil(async () => (await test.engine.tools.list()).some(({ shownName }) => shownName === "tool_2"));
    expect(lists).toBe(2);
  });

  it("a server whose tools change whenever they are listed is asked 5 times in 5 s, and never after the engine stops", async () => {
    const test = createTestEngine({ servers: [testDefinition("s")] });
    let lists = 0;
    const listTools = async () => {
      lists += 1;
      test.connector.toolsChanged("s");
      return { entries: [{ name: "a" }] };
    };
    test.connector.server("s").offers = { listTools };
    await test.host.start();
    await waitUntil(() => lists === 6);
    await settle();
    test.clock.advance(4_999);
    await settle();
    expect(lists).toBe(6);
    test.clock.advance(1);
    await waitUntil(() => lists === 11);
    await settle();
    await test.host.stop();
    test.clock.advance(60_000);
    await settle();
    expect([lists, test.clock.pending()]).toEqual([11, 0]);
  });

  it("a listing that is still under way when the engine stops is not reported as an error", async () => {
    const { host, connector, logger } = createTestEngine({ servers: [testDefinition("s")] });
    let interrupt: ((error: ConnectionError) => void) | undefined;
    let lists = 0;
    const listTools = async () => {
      lists += 1;
      if (lists === 1) return { entries: [{ name: "a" }] };
      return new Promise<never>((_resolve, reject) => {
        interrupt = reject;
      });
    };
    connector.server("s").offers = { listTools };
    await host.start();
    connector.toolsChanged("s");
    await waitUntil(() => interrupt !== undefined);
    const stopped = host.stop();
    await settle();
    interrupt?.(new ConnectionError("interrupted", "closed"));
    await stopped;
    await settle();
    expect(logger.texts("warn")).toEqual([]);
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
    expect((await engine.tools.list()).map(({ shownName }) => shownName)).toEqual(["a"]);
  });

  it("D.7 reconnects after a drop and lists again", async () => {
    const { engine, connector, clock } = await running();
    const seen: string[] = [];
    listen(engine, (event) => event.type === "connection-changed" && seen.push(event.status));
    connector.server("s").tools = [{ name: "a" }, { name: "b" }];
    connector.drop("s", "it exited with code 1");
    await waitUntil(() => clock.pending() > 0);
    clock.advance(500);
    await waitUntil(() => seen.includes("connected"));
    expect(seen).toEqual(["error", "connecting", "connected"]);
    expect((await engine.tools.list()).map(({ shownName }) => shownName)).toEqual(["a", "b"]);
  });

  it("D.7 a server with reconnect: never stays down until asked to connect", async () => {
    const { engine, connector, clock } = await running(testDefinition("s", { reconnect: "never" }));
    connector.drop("s", "it exited");
    clock.advance(120_000);
    await settle();
    expect(connector.opened("s")).toBe(1);
    expect(await engine.calls.make({ tool: "a", arguments: {} })).toMatchObject({ failure: { ending: "unreachable" } });
  });

  it("T16 a changed tool runs with a warning, or is blocked until trusted if its server says so", async () => {
    const changed = { name: "a", description: "now does something else" };
    const warned = await running();
    await warned.change(changed);
    expect((await warned.engine.calls.make({ tool: "a", arguments: {} })).status).toBe("success");
    expect(warned.logger.texts("warn")).toEqual([
      "Tools of MCP server 's' changed since they were accepted: a. They still run; to accept them run: accept s",
      "The definition of tool 'a' changed since it was accepted",
    ]);

    const blocked = await running(testDefinition("s", { pin: "block" }));
    await blocked.change(changed);
    expect(await blocked.engine.calls.make({ tool: "a", arguments: {} })).toMatchObject({
      failure: { ending: "denied" },
    });
    const { tools } = blocked.engine;
    expect(await tools.changed("s", "other")).toEqual([]);
    const seen = await tools.changed("s");
    expect(seen.map(({ tool }) => tool)).toEqual(["a"]);
    expect(await tools.trust("nobody", seen)).toEqual([]);
    expect(await tools.trust("s", seen)).toEqual(["a"]);
    expect((await blocked.engine.calls.make({ tool: "a", arguments: {} })).status).toBe("success");
  });

  it("stopping lets calls end, then cancels what is left", async () => {
    const { host, engine, connector, clock } = await running();
    connector.server("s").answer = () => new Promise(() => undefined);
    const call = engine.calls.make({ tool: "a", arguments: {} });
    await waitUntil(() => connector.calls.length === 1);
    const stopped = host.stop(1_000);
    await settle();
    expect(await engine.calls.make({ tool: "a", arguments: {} })).toMatchObject({ failure: { ending: "unreachable" } });
    clock.advance(1_000);
    expect(await call).toMatchObject({ failure: { ending: "cancelled" } });
    await stopped;
    expect(connector.closed("s")).toBe(1);
  });

  it("stopping while a server still connects leaves nothing open", async () => {
    const { host, engine, clock } = createTestEngine({
      servers: [testDefinition("mute")],
      ports: {
        connectors: [
          {
            transports: ["stdio"],
            open: (_definition, _options, signal) =>
              new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(refused))),
          },
        ],
      },
    });
    const abort = new AbortController();
    const started = host.start(abort.signal);
    await waitUntil(() => clock.pending() > 0);
    abort.abort();
    await started;
    await host.stop();
    expect((await engine.servers.list()).map(({ status }) => status)).toEqual(["disconnected"]);
  });
});

function nextEvent(engine: Engine, type: EngineEvent["type"]): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = listen(engine, (event) => {
      if (event.type !== type) return;
      unsubscribe();
      resolve();
    });
  });
}
