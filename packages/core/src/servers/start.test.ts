import { describe, expect, it } from "vitest";
import { ConnectionError } from "../domain/connection.ts";
import type { Connector } from "../ports/connector.ts";
import {
  createMemoryStore,
  createScriptedConnector,
  createTestEngine,
  testDefinition,
  testSettings,
  waitUntil,
} from "../testing/index.ts";

const refused = new ConnectionError("unreachable", "connection refused");
const remote = (url: string) => ({ transport: "http", url, headers: {}, authentication: { type: "none" } }) as const;

describe("starting", () => {
  it("S4.18 D.1 T4.7 reports every unreachable required server and every strict violation at once", async () => {
    const { host, connector, logger } = createTestEngine({
      servers: [
        testDefinition("one", { required: true, launch: remote("http://localhost:1/mcp") }),
        testDefinition("two", { required: true, launch: remote("http://localhost:2/mcp?token=abcdef") }),
        testDefinition("three", { mode: "strict" }),
      ],
    });
    connector.server("one").refuse = refused;
    connector.server("two").refuse = refused;
    connector.server("three").tools = [{ name: "x" }];
    const { problems } = await host.start();
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
    await host.stop();
    expect(connector.closed("three")).toBe(1);
  });

  it("S2.9 one bad server is a warning, and the others start", async () => {
    const { host, engine, connector, logger } = createTestEngine({
      servers: [testDefinition("bad"), testDefinition("good")],
    });
    connector.server("bad").refuse = refused;
    connector.server("good").tools = [{ name: "a" }];
    expect((await host.start()).problems).toEqual([]);
    expect(logger.texts("warn")).toEqual(["mcp: server 'bad' failed to connect: connection refused"]);
    expect(logger.texts("info")[0]).toBe("mcp: server 'good' connected (1 tool)");
    expect((await engine.servers.list()).map(({ status, cause }) => [status, cause])).toEqual([
      ["error", "connection refused"],
      ["connected", undefined],
    ]);
    await host.stop();
  });

  it("a server that was down at start joins when it comes up", async () => {
    const { host, engine, connector, clock } = createTestEngine({ servers: [testDefinition("late")] });
    connector.server("late").refuse = refused;
    connector.server("late").tools = [{ name: "a" }];
    await host.start();
    delete connector.server("late").refuse;
    clock.advance(60_000);
    await waitUntil(async () => (await engine.tools.list()).length === 1);
    expect((await engine.tools.list()).map(({ shownName }) => shownName)).toEqual(["a"]);
    await host.stop();
  });

  it("D.26 a disabled server is never connected and contributes nothing", async () => {
    const { host, engine, connector } = createTestEngine({ servers: [testDefinition("off", { enabled: false })] });
    await host.start();
    expect(connector.opened("off")).toBe(0);
    expect((await engine.servers.list()).map(({ status }) => status)).toEqual(["disabled"]);
  });

  it("S4.11 local tools take the same path, and unknown ones are reported", async () => {
    const { host, engine } = createTestEngine({
      toolbox: {
        local: ["sum_numbers", "multiply_numbers", "current_time", "guess"],
        tools: [{ name: "sum_numbers" }, { name: "multiply_numbers" }, { name: "current_time" }],
      },
    });
    const { problems } = await host.start();
    expect(problems.map(({ text }) => text)).toEqual([
      "toolbox.local names 'guess', which is not a local tool. Local tools: sum_numbers, multiply_numbers, current_time",
    ]);
    const call = async (tool: string, args: Record<string, never> | { numbers: number[] } | { timezone: string }) => {
      const outcome = await engine.calls.make({ tool, arguments: args });
      return outcome.status === "success" ? outcome.result.content[0]?.text : outcome.failure.message;
    };
    expect(await call("sum_numbers", { numbers: [1, 2, 3.5] })).toBe("6.5");
    expect(await call("multiply_numbers", { numbers: [2, 3, 4] })).toBe("24");
    expect(await call("current_time", {})).toBe("2026-01-01 00:00:00 UTC");
    expect(await call("current_time", { timezone: "Europe/Berlin" })).toBe("2026-01-01 01:00:00 Europe/Berlin");
    expect(await call("current_time", { timezone: "Nowhere/Land" })).toMatch(/Nowhere\/Land/);
    await host.stop();
  });

  it("S4.28 registration follows configuration order, not the order of connecting", async () => {
    const { host, engine, connector } = createTestEngine({ servers: [testDefinition("slow"), testDefinition("fast")] });
    connector.server("slow").tools = [{ name: "find" }];
    connector.server("fast").tools = [{ name: "find" }];
    await host.start();
    const [tool] = await engine.tools.list();
    expect(tool?.ref.server).toBe("fast");
    await host.stop();
  });

  it("retries as often as the definition says, unless retrying cannot help", async () => {
    const { host, engine, connector, clock } = createTestEngine({
      servers: [
        testDefinition("flaky", { retryAttempts: 2, reconnect: "never" }),
        testDefinition("wrong", { retryAttempts: 2 }),
      ],
    });
    connector.server("flaky").refuse = refused;
    connector.server("wrong").refuse = new ConnectionError("sign-in-needed", "HTTP 401: Unauthorized");
    const started = host.start();
    for (const attempts of [1, 2]) {
      // The connect timeout is cancelled when the attempt fails; the timer left is the pause before the next attempt.
      await waitUntil(() => connector.opened("flaky") === attempts && clock.pending() === 1);
      clock.advance(2_000);
    }
    await started;
    expect([connector.opened("flaky"), connector.opened("wrong")]).toEqual([3, 1]);
    expect(failureText(await engine.servers.list())).toContain("HTTP 401: Unauthorized");
    await host.stop();
  });

  it("gives up on a silent server at its timeout", async () => {
    const { host, engine, clock } = createTestEngine({
      servers: [testDefinition("mute", { timeoutMs: 4_000 })],
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
    const started = host.start();
    await waitUntil(() => clock.pending() > 0);
    clock.advance(4_000);
    await started;
    expect(failureText(await engine.servers.list())).toEqual(["no answer within 4 s"]);
    await host.stop();
  });

  it("reports a transport that no connector can open", async () => {
    const { host, engine } = createTestEngine({ servers: [testDefinition("s")], ports: { connectors: [] } });
    await host.start();
    expect(failureText(await engine.servers.list())).toEqual(["stdio transport not supported here"]);
  });

  it("recovers the calls of a dead process before anything else", async () => {
    const store = createMemoryStore();
    await store.calls.save({
      id: "old",
      scope: "agent",
      server: "s",
      toolName: "t",
      shownName: "t",
      arguments: {},
      status: "running",
      startedAt: "2026-01-01T00:00:00.000Z",
      owner: "dead",
    });
    const { host, engine, logger } = createTestEngine({ ports: { store } });
    await host.start();
    expect((await engine.calls.list({ limit: 1 })).items).toMatchObject([
      { id: "old", status: "error", ending: "interrupted" },
    ]);
    expect(logger.texts("warn")).toEqual(["Calls left open by a process that died, now marked as interrupted: 1"]);
  });
});

describe("the inventory", () => {
  it("D.19 is saved by successful starts only, and distinguishes new from known tools at the next start", async () => {
    const store = createMemoryStore();
    const start = async (tools: string[], required = false) => {
      const servers = [testDefinition("s"), testDefinition("dead", { required })];
      const test = createTestEngine({ servers, ports: { store } });
      test.connector.server("s").tools = tools.map((name) => ({ name }));
      test.connector.server("dead").refuse = refused;
      await test.host.start();
      await test.host.stop();
      return test.logger.texts("info").filter((line) => line.includes("ool '"));
    };
    const known = "Tool 'a' from MCP 's' not explicitly configured, using default configuration";
    expect(await start(["a", "b"], true)).toContain(known);
    await start(["a"]);
    expect(await start(["a", "b"])).toEqual([
      known,
      "New tool 'b' discovered from MCP server 's', registering with default configuration",
    ]);
  });
});

describe("what was accepted of a server", () => {
  const CHANGED =
    "Tools of MCP server 'files' changed since they were accepted: a. They still run; to accept them run: accept files";

  function starter() {
    const store = createMemoryStore();
    return async (source: string, command: string, tool: Record<string, unknown>) => {
      const servers = [testDefinition("files", { launch: { transport: "stdio", command, args: [], env: {} } })];
      const test = createTestEngine({ servers, source, ports: { store } });
      test.connector.server("files").tools = [tool];
      await test.host.start();
      const changed = await test.engine.tools.changed("files");
      await test.host.stop();
      return { warnings: test.logger.texts("warn"), changed };
    };
  }

  it("is not disturbed by another config that has a server of the same name", async () => {
    const start = starter();
    await start("/one.yaml", "one", { name: "a" });
    expect((await start("/two.yaml", "two", { name: "b" })).warnings).toEqual([]);
    expect((await start("/one.yaml", "one", { name: "a" })).warnings).toEqual([]);
  });

  it("outlives a change of how the server is started, and is compared with what it offers then", async () => {
    const start = starter();
    await start("/one.yaml", "old", { name: "a", description: "Reads." });
    expect((await start("/one.yaml", "new", { name: "a", description: "Reads." })).warnings).toEqual([]);
    const { warnings, changed } = await start("/one.yaml", "newer", { name: "a", description: "Sends." });
    expect(warnings).toEqual([CHANGED]);
    expect(changed).toMatchObject([
      { tool: "a", before: { description: "Reads." }, definition: { description: "Sends." } },
    ]);
  });

  it("goes with a config file that is moved or copied", async () => {
    const start = starter();
    await start("/old.yaml", "files", { name: "a", description: "Reads." });
    const { warnings, changed } = await start("/new.yaml", "files", { name: "a", description: "Sends." });
    expect(warnings).toEqual([CHANGED]);
    expect(changed[0]?.before).toMatchObject({ description: "Reads." });
    const again = await start("/new.yaml", "edited", { name: "a", description: "Sends." });
    expect([again.warnings, again.changed[0]?.before]).toMatchObject([[CHANGED], { description: "Reads." }]);
  });

  it("is taken over from another process by a reload", async () => {
    const store = createMemoryStore();
    const servers = [testDefinition("files", { pin: "block" })];
    const start = async (description: string) => {
      const test = createTestEngine({ servers, source: "/one.yaml", ports: { store } });
      test.connector.server("files").tools = [{ name: "a", description }];
      await test.host.start();
      return test;
    };
    await (await start("Reads.")).host.stop();
    const [running, other] = [await start("Sends."), await start("Sends.")];
    const ending = async () => {
      const outcome = await running.engine.calls.make({ tool: "a", arguments: {} });
      return outcome.status === "error" ? outcome.failure.ending : outcome.status;
    };
    expect(await ending()).toBe("denied");
    expect(await other.engine.tools.trust("files", await other.engine.tools.changed("files"))).toEqual(["a"]);
    await running.host.reload({ servers, toolbox: testSettings() });
    expect(await ending()).toBe("success");
    await Promise.all([running.host.stop(), other.host.stop()]);
  });

  it("is not what changed again after it was shown", async () => {
    const store = createMemoryStore();
    const servers = [testDefinition("files")];
    const test = createTestEngine({ servers, ports: { store } });
    const list = async (description: string) => {
      test.connector.server("files").tools = [{ name: "a", description }];
      test.connector.toolsChanged("files");
      await waitUntil(async () => (await test.engine.tools.list())[0]?.tool.description === description);
    };
    test.connector.server("files").tools = [{ name: "a", description: "Reads." }];
    await test.host.start();
    await list("Sends.");
    const seen = await test.engine.tools.changed("files");
    await list("Deletes.");
    expect(await test.engine.tools.trust("files", seen)).toEqual([]);
    expect((await test.engine.tools.changed("files"))[0]?.definition).toMatchObject({ description: "Deletes." });
    await test.host.stop();
  });

  it("outlives an absence of the tool", async () => {
    const start = starter();
    await start("/one.yaml", "files", { name: "a", description: "Reads." });
    await start("/one.yaml", "files", { name: "b" });
    await start("/one.yaml", "files", { name: "b" });
    const { warnings, changed } = await start("/one.yaml", "files", { name: "a", description: "Sends." });
    expect(warnings).toContain(CHANGED);
    expect(changed[0]?.before).toMatchObject({ description: "Reads." });
  });
});

function failureText(servers: readonly { readonly cause?: string }[]): string[] {
  return servers.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));
}

it("a server that never answers does not block calls of other servers' tools", async () => {
  const silent: Connector = {
    transports: ["http"],
    open: (_definition, _options, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(refused))),
  };
  const dead = testDefinition("dead", { launch: remote("http://127.0.0.1:9/mcp"), timeoutMs: 30_000 });
  const scripted = createScriptedConnector(["stdio"]);
  scripted.server("alive").tools = [{ name: "echo" }];
  const { host, engine, clock, logger } = createTestEngine({
    servers: [dead, testDefinition("alive")],
    ports: { connectors: [silent, scripted] },
  });
  const started = host.start();
  await waitUntil(async () => (await engine.tools.list()).length === 1);
  expect(await engine.calls.make({ tool: "echo", arguments: {} })).toMatchObject({ status: "success" });
  expect(logger.texts("info")).not.toContain(REGISTERED);
  clock.advance(30_000);
  expect(await started).toEqual({ problems: [] });
  expect(logger.texts("info")).toContain(REGISTERED);
  await host.stop();
});

const REGISTERED = "Tool 'echo' from MCP 'alive' not explicitly configured, using default configuration";
