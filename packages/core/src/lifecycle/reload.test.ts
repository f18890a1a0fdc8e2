import { describe, expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import type { ToolResult } from "../domain/call.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { ModelDefinition } from "../domain/model.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { EngineConfig } from "../engine-host.ts";
import type { Models } from "../ports/model.ts";
import { createKnownSecrets } from "../secrets/known-secrets.ts";
import { createTestEngine, testDefinition, testSettings, waitUntil } from "../testing/index.ts";

const text = (value: string): ToolResult => ({ content: [{ type: "text", text: value }], isError: false });
const configOf = (servers: ServerDefinition[], toolbox = {}): EngineConfig => ({
  servers,
  toolbox: testSettings(toolbox),
});
const moved = (key: string, changes: Partial<ServerDefinition> = {}) =>
  testDefinition(key, { launch: { transport: "stdio", command: key, args: ["moved"], env: {} }, ...changes });

async function running(...servers: ServerDefinition[]) {
  const test = createTestEngine({ servers });
  for (const { key } of servers) test.connector.server(key).tools = [{ name: `${key}_tool` }];
  await test.host.start();
  test.logger.lines.length = 0;
  const names = async () => (await test.engine.tools.list()).map(({ shownName }) => shownName);
  const opened = (...keys: string[]) => keys.map((key) => test.connector.opened(key));
  return { ...test, names, opened };
}

describe("reloading the configuration", () => {
  it("S4.36 reconnects only changed servers and reports every change", async () => {
    const { host, engine, connector, logger, names, opened } = await running(
      testDefinition("kept"),
      testDefinition("moved"),
      testDefinition("gone"),
    );
    connector.server("fresh").tools = [{ name: "fresh_tool" }];
    const events: EngineEvent[] = [];
    listen(engine, (event) => event.type === "config-changed" && events.push(event));
    const report = await host.reload(
      configOf([testDefinition("kept", { allow: ["kept_*"] }), moved("moved"), testDefinition("fresh")], {
        maxConcurrent: 3,
      }),
    );
    expect(report).toEqual({
      problems: [],
      changes: [
        "Configuration: server 'kept' changed, connection kept",
        "Configuration: server 'moved' changed, reconnected",
        "Configuration: server 'fresh' added",
        "Configuration: server 'gone' removed",
        "Configuration: toolbox.max_concurrent changed",
      ],
    });
    expect(opened("kept", "moved", "gone", "fresh")).toEqual([1, 2, 1, 1]);
    expect(await names()).toEqual(["kept_tool", "moved_tool", "fresh_tool"]);
    await waitUntil(() => connector.closed("gone") === 1 && connector.closed("moved") === 1);
    expect(logger.texts("info")).toEqual(expect.arrayContaining([...report.changes]));
    await waitUntil(() => events.length === 1);
    expect(events).toEqual([{ type: "config-changed", changes: report.changes }]);
  });

  it("does nothing and reports nothing if nothing changed", async () => {
    const { host, logger, opened } = await running(testDefinition("a"));
    expect(await host.reload(configOf([testDefinition("a")]))).toEqual({ changes: [], problems: [] });
    expect([opened("a"), logger.texts("info")]).toEqual([[1], []]);
  });

  it("lets a running call end on the old connection while new calls use the new one", async () => {
    const { host, engine, connector, opened } = await running(testDefinition("s"));
    const server = connector.server("s");
    let reply: (result: ToolResult) => void = () => undefined;
    server.answer = () => new Promise((resolve) => (reply = resolve));
    const old = engine.calls.make({ tool: "s_tool", arguments: {} });
    await waitUntil(() => connector.calls.length === 1);
    await host.reload(configOf([moved("s")]));
    expect(opened("s")).toEqual([2]);
    expect(connector.closed("s")).toBe(0);
    server.answer = () => text("new");
    expect(await engine.calls.make({ tool: "s_tool", arguments: {} })).toMatchObject({ result: text("new") });
    reply(text("old"));
    expect(await old).toMatchObject({ status: "success", result: text("old") });
    await waitUntil(() => connector.closed("s") === 1);
  });

  it("keeps a replaced server's tools callable until its successor has listed", async () => {
    const { host, engine, connector, names } = await running(testDefinition("s", { pin: "block" }));
    connector.server("s").tools = [{ name: "s_tool" }, { name: "second" }];
    const reloading = host.reload(configOf([moved("s", { pin: "block" })]));
    expect((await engine.calls.make({ tool: "s_tool", arguments: {} })).status).toBe("success");
    await reloading;
    expect(await names()).toEqual(["s_tool", "second"]);
    expect((await engine.calls.make({ tool: "second", arguments: {} })).status).toBe("success");
  });

  it("a server that cannot be reached is a problem, and the rest of the change still counts", async () => {
    const { host, connector, names } = await running(testDefinition("a"));
    connector.server("dead").refuse = new ConnectionError("unreachable", "connection refused");
    const report = await host.reload(
      configOf([testDefinition("a", { deny: ["*"] }), testDefinition("dead", { required: true })]),
    );
    expect(report.problems.map(({ kind, server }) => [kind, server])).toEqual([["unreachable", "dead"]]);
    expect(await names()).toEqual([]);
  });

  it("D.26 disabling disconnects, enabling connects", async () => {
    const { host, engine, connector, names } = await running(testDefinition("a"));
    await host.reload(configOf([testDefinition("a", { enabled: false })]));
    await waitUntil(() => connector.closed("a") === 1);
    expect([await names(), (await engine.servers.list()).map(({ status }) => status)]).toEqual([[], ["disabled"]]);
    expect(await engine.servers.connect("a")).toMatchObject({
      kind: "failed",
      failure: { message: "Server 'a' is disabled. Enable it first" },
    });
    await host.reload(configOf([testDefinition("a")]));
    expect(await names()).toEqual(["a_tool"]);
  });

  it("a tool of a disabled server is denied by its bare name too, whatever else about the server changes", async () => {
    const { host, engine } = await running(testDefinition("a"));
    for (const changes of [{ enabled: false }, { enabled: false, include: "manual" as const }]) {
      await host.reload(configOf([testDefinition("a", changes)]));
      expect(await engine.calls.make({ tool: "a_tool", arguments: {} })).toMatchObject({
        failure: {
          ending: "denied",
          message: "Tool call denied: server 'a' is disabled. To enable it, run: enable a",
          veil: { ending: "unknown-tool", message: "Unknown tool 'a_tool'." },
        },
      });
      const [why] = await engine.tools.explain("a_tool");
      expect(why).toMatchObject({ server: "a", callable: false });
      expect(why?.steps.at(-1)?.text).toBe("not callable: server 'a' is disabled. To enable it, run: enable a");
    }
    await host.reload(configOf([testDefinition("a", { pin: "block" })]));
    expect((await engine.calls.make({ tool: "a_tool", arguments: {} })).status).toBe("success");
  });

  it("local tools come and go with toolbox.local", async () => {
    const { host, names } = await running();
    const tools = [{ name: "sum_numbers" }, { name: "current_time" }];
    await host.reload(configOf([], { local: ["sum_numbers"], tools }));
    expect(await names()).toEqual(["sum_numbers"]);
    await host.reload(configOf([], { local: ["current_time", "guess"], tools }));
    expect(await names()).toEqual(["current_time"]);
    await host.reload(configOf([], { tools }));
    expect(await names()).toEqual([]);
  });

  it("applies changes of models and GPTs too, and reports each", async () => {
    const model = (name: string, modelId = name): ModelDefinition => ({
      name,
      vendor: "openai",
      modelId,
      apiKey: `key-of-${name}`,
      headers: {},
      isDefault: false,
      source: "test",
    });
    const gpt = (key: string, instructions = ""): Gpt => ({
      key,
      name: key,
      instructions,
      tools: {},
      approval: "auto",
      trustedTools: [],
    });
    const configured: (readonly string[])[] = [];
    const knownSecrets = createKnownSecrets();
    const models: Models = {
      list: async () => [],
      open: async () => ({ kind: "unknown", message: "" }),
      configure: (definitions) => void configured.push(definitions.map(({ modelId }) => modelId)),
    };
    const { host, engine } = createTestEngine({ ports: { models, knownSecrets } });
    await host.start();
    const events: EngineEvent["type"][] = [];
    listen(engine, ({ type }) => type !== "toolbox-changed" && events.push(type));
    await host.reload({ ...configOf([]), models: [model("a"), model("b")], gpts: [gpt("x"), gpt("y")] });
    const report = await host.reload({
      ...configOf([]),
      models: [model("b", "newer"), model("c")],
      gpts: [gpt("y", "Be brief."), gpt("z")],
    });
    expect(report.changes).toEqual([
      "Configuration: model 'b' changed",
      "Configuration: model 'c' added",
      "Configuration: model 'a' removed",
      "Configuration: GPT 'y' changed",
      "Configuration: GPT 'z' added",
      "Configuration: GPT 'x' removed",
    ]);
    expect(configured).toEqual([[], ["a", "b"], ["newer", "c"]]);
    expect((await engine.gpts.list()).map(({ key, instructions }) => [key, instructions])).toEqual([
      ["y", "Be brief."],
      ["z", ""],
    ]);
    await waitUntil(() => events.length === 4);
    expect(events).toEqual(["gpts-changed", "config-changed", "gpts-changed", "config-changed"]);
    expect(knownSecrets.redact("key-of-a key-of-c")).toBe("[redacted] [redacted]");
  });

  it("runs reloads one after another, so that the last one wins", async () => {
    const { host, names, connector } = await running(testDefinition("a"));
    for (const key of ["b", "c"]) connector.server(key).tools = [{ name: `${key}_tool` }];
    await Promise.all([host.reload(configOf([testDefinition("b")])), host.reload(configOf([testDefinition("c")]))]);
    expect(await names()).toEqual(["c_tool"]);
  });

  it("servers can be added, connected, disconnected and removed while running", async () => {
    const { engine, connector, names } = await running();
    connector.server("late").tools = [{ name: "late_tool" }];
    await engine.servers.add(testDefinition("late", { scope: "app" }));
    expect(connector.opened("late")).toBe(0);
    expect(await engine.servers.connect("late")).toMatchObject({
      kind: "ok",
      value: { status: "connected", toolCount: 1 },
    });
    expect(await engine.servers.disconnect("late")).toBe(true);
    expect((await engine.servers.list()).map(({ status }) => status)).toEqual(["disconnected"]);
    expect(await engine.servers.remove("app", "late")).toBe(true);
    expect(await engine.servers.remove("app", "late")).toBe(false);
    expect(await engine.servers.disconnect("late")).toBe(false);
    expect(await engine.servers.connect("late")).toMatchObject({ kind: "failed" });
    expect(await names()).toEqual([]);
    connector.server("dead").refuse = new ConnectionError("sign-in-needed", "HTTP 401: Unauthorized");
    await engine.servers.add(testDefinition("dead"));
    expect(await engine.servers.connect("dead")).toMatchObject({
      kind: "failed",
      failure: { message: "HTTP 401: Unauthorized" },
    });
  });
});
