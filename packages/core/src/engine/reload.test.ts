import { describe, expect, it } from "vitest";
import type { ToolResult } from "../domain/call.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { EngineConfig } from "../domain/engine.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { Gpt } from "../domain/gpt.ts";
import { createKnownSecrets } from "../domain/known-secrets.ts";
import type { ModelDefinition } from "../domain/model.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { Models } from "../ports/model.ts";
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
  await test.engine.start();
  test.logger.lines.length = 0;
  const names = async () => (await test.engine.listTools()).map(({ shownName }) => shownName);
  const opened = (...keys: string[]) => keys.map((key) => test.connector.opened(key));
  return { ...test, names, opened };
}

describe("reloading the configuration", () => {
  it("S4.36 reconnects only what changed and says every change", async () => {
    const { engine, connector, logger, names, opened } = await running(
      testDefinition("kept"),
      testDefinition("moved"),
      testDefinition("gone"),
    );
    connector.server("fresh").tools = [{ name: "fresh_tool" }];
    const events: EngineEvent[] = [];
    engine.subscribe((event) => event.type === "config-changed" && events.push(event));
    const report = await engine.reload(
      configOf([testDefinition("kept", { allow: ["kept_*"] }), moved("moved"), testDefinition("fresh")], {
        maxConcurrent: 3,
      }),
    );
    expect(report).toEqual({
      problems: [],
      changes: [
        "Configuration: server 'kept' changed, connection kept",
        "Configuration: server 'moved' changed, connected anew",
        "Configuration: server 'fresh' added",
        "Configuration: server 'gone' removed",
        "Configuration: toolbox.max_concurrent changed",
      ],
    });
    expect(opened("kept", "moved", "gone", "fresh")).toEqual([1, 2, 1, 1]);
    expect(await names()).toEqual(["kept_tool", "moved_tool", "fresh_tool"]);
    await waitUntil(() => connector.closed("gone") === 1 && connector.closed("moved") === 1);
    expect(logger.texts("info")).toEqual(expect.arrayContaining([...report.changes]));
    expect(events).toEqual([{ type: "config-changed", changes: report.changes }]);
  });

  it("changes nothing and says nothing when nothing changed", async () => {
    const { engine, logger, opened } = await running(testDefinition("a"));
    expect(await engine.reload(configOf([testDefinition("a")]))).toEqual({ changes: [], problems: [] });
    expect([opened("a"), logger.texts("info")]).toEqual([[1], []]);
  });

  it("lets a running call end on the old connection while new ones use the new", async () => {
    const { engine, connector, opened } = await running(testDefinition("s"));
    const server = connector.server("s");
    let reply: (result: ToolResult) => void = () => undefined;
    server.answer = () => new Promise((resolve) => (reply = resolve));
    const old = engine.callTool({ tool: "s_tool", arguments: {} });
    await waitUntil(() => connector.calls.length === 1);
    await engine.reload(configOf([moved("s")]));
    expect(opened("s")).toEqual([2]);
    expect(connector.closed("s")).toBe(0);
    server.answer = () => text("new");
    expect(await engine.callTool({ tool: "s_tool", arguments: {} })).toMatchObject({ result: text("new") });
    reply(text("old"));
    expect(await old).toMatchObject({ status: "success", result: text("old") });
    await waitUntil(() => connector.closed("s") === 1);
  });

  it("keeps a replaced server's tools callable until its successor has listed", async () => {
    const { engine, connector, names } = await running(testDefinition("s", { pin: "block" }));
    connector.server("s").tools = [{ name: "s_tool" }, { name: "second" }];
    const reloading = engine.reload(configOf([moved("s", { pin: "block" })]));
    expect((await engine.callTool({ tool: "s_tool", arguments: {} })).status).toBe("success");
    await reloading;
    expect(await names()).toEqual(["s_tool", "second"]);
    expect((await engine.callTool({ tool: "second", arguments: {} })).status).toBe("success");
  });

  it("a server that cannot be reached is a problem, and the rest of the change still counts", async () => {
    const { engine, connector, names } = await running(testDefinition("a"));
    connector.server("dead").refuse = new ConnectionError("unreachable", "connection refused");
    const report = await engine.reload(
      configOf([testDefinition("a", { deny: ["*"] }), testDefinition("dead", { required: true })]),
    );
    expect(report.problems.map(({ kind, server }) => [kind, server])).toEqual([["unreachable", "dead"]]);
    expect(await names()).toEqual([]);
  });

  it("D.26 disabling disconnects, enabling connects", async () => {
    const { engine, connector, names } = await running(testDefinition("a"));
    await engine.reload(configOf([testDefinition("a", { enabled: false })]));
    await waitUntil(() => connector.closed("a") === 1);
    expect([await names(), (await engine.listServers()).map(({ status }) => status)]).toEqual([[], ["disabled"]]);
    expect(await engine.connectServer("a")).toMatchObject({
      kind: "failed",
      failure: { message: "Server 'a' is disabled. Enable it first" },
    });
    await engine.reload(configOf([testDefinition("a")]));
    expect(await names()).toEqual(["a_tool"]);
  });

  it("local tools come and go with toolbox.local", async () => {
    const { engine, names } = await running();
    const tools = [{ name: "sum_numbers" }, { name: "current_time" }];
    await engine.reload(configOf([], { local: ["sum_numbers"], tools }));
    expect(await names()).toEqual(["sum_numbers"]);
    await engine.reload(configOf([], { local: ["current_time", "guess"], tools }));
    expect(await names()).toEqual(["current_time"]);
    await engine.reload(configOf([], { tools }));
    expect(await names()).toEqual([]);
  });

  it("takes models and GPTs along, and says each change", async () => {
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
    const { engine } = createTestEngine({ ports: { models, knownSecrets } });
    await engine.start();
    const events: EngineEvent["type"][] = [];
    engine.subscribe(({ type }) => type !== "toolbox-changed" && events.push(type));
    await engine.reload({ ...configOf([]), models: [model("a"), model("b")], gpts: [gpt("x"), gpt("y")] });
    const report = await engine.reload({
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
    expect((await engine.listGpts()).map(({ key, instructions }) => [key, instructions])).toEqual([
      ["y", "Be brief."],
      ["z", ""],
    ]);
    expect(events).toEqual(["gpts-changed", "config-changed", "gpts-changed", "config-changed"]);
    expect(knownSecrets.redact("key-of-a key-of-c")).toBe("[redacted] [redacted]");
  });

  it("reloads one after the other: the last one asked for is what counts", async () => {
    const { engine, names, connector } = await running(testDefinition("a"));
    for (const key of ["b", "c"]) connector.server(key).tools = [{ name: `${key}_tool` }];
    await Promise.all([engine.reload(configOf([testDefinition("b")])), engine.reload(configOf([testDefinition("c")]))]);
    expect(await names()).toEqual(["c_tool"]);
  });

  it("servers can be added, connected, disconnected and removed while running", async () => {
    const { engine, connector, names } = await running();
    connector.server("late").tools = [{ name: "late_tool" }];
    await engine.addServer(testDefinition("late", { scope: "app" }));
    expect(connector.opened("late")).toBe(0);
    expect(await engine.connectServer("late")).toMatchObject({
      kind: "ok",
      value: { status: "connected", toolCount: 1 },
    });
    expect(await engine.disconnectServer("late")).toBe(true);
    expect((await engine.listServers()).map(({ status }) => status)).toEqual(["disconnected"]);
    expect(await engine.removeServer("app", "late")).toBe(true);
    expect(await engine.removeServer("app", "late")).toBe(false);
    expect(await engine.disconnectServer("late")).toBe(false);
    expect(await engine.connectServer("late")).toMatchObject({ kind: "failed" });
    expect(await names()).toEqual([]);
    connector.server("dead").refuse = new ConnectionError("sign-in-needed", "HTTP 401: Unauthorized");
    await engine.addServer(testDefinition("dead"));
    expect(await engine.connectServer("dead")).toMatchObject({
      kind: "failed",
      failure: { message: "HTTP 401: Unauthorized" },
    });
  });
});
