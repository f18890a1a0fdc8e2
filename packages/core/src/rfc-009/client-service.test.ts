import { describe, expect, it } from "vitest";
import type { ToolResult } from "../domain/call.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { Json } from "../json/json.ts";
import {
  allow,
  createScriptedApprover,
  createScriptedConnector,
  clientFailure as failure,
  TEST_SERVER_IDS as IDS,
  createTestService as start,
  type TestServiceOptions,
  waitUntil,
} from "../testing/index.ts";
import type { MCPServerConfig } from "./schemas.ts";

const [ID] = IDS;
const AT = "2026-01-01T00:00:00.000Z";
const HTTP = { name: "API", transport: "http", url: "https://example.com/mcp", retryAttempts: 0 } as const;
const echo = { name: "echo", description: "Echoes", inputSchema: { type: "object", properties: { a: {} } } };

async function connected(options: TestServiceOptions = {}) {
  const test = start(options);
  test.connector.server(ID).tools = [echo];
  await test.service.addServer(HTTP);
  await test.service.connect(ID);
  return test;
}

describe("S1.15 servers are added, changed, removed and listed", () => {
  it("S1.15 the service fills in id, times and every default", async () => {
    const { service, records } = start();
    const config: MCPServerConfig = {
      ...HTTP,
      id: ID,
      authentication: { type: "none" },
      timeout: 30_000,
      enabled: true,
      createdAt: AT,
      updatedAt: AT,
    };
    expect(await service.addServer(HTTP)).toEqual(config);
    expect(await service.listServers()).toEqual([config]);
    expect(await records.load(ID)).toEqual(config);
  });

  it("T1.11 refuses a config that cannot work, and saves nothing", async () => {
    const { service } = start();
    expect(await failure(service.addServer({ ...HTTP, url: "http://example.com/mcp" }))).toEqual({
      code: "invalid-server",
      message: "MCP server 'API' must be reached over https; plain http is for this machine only",
    });
    expect(await service.listServers()).toEqual([]);
  });

  it("S1.22 reports which transport is unknown", async () => {
    const { service, records, statuses } = start();
    const record = { ...HTTP, id: ID, transport: "carrier-pigeon", createdAt: AT, updatedAt: AT };
    await records.save(record);
    expect(await failure(service.connect(ID))).toEqual({
      code: "invalid-server",
      message: "Unknown transport: carrier-pigeon",
    });
    expect(statuses).toEqual(["0 error"]);
    expect(await service.listServers()).toEqual([]);
  });

  it("T1.14 an update changes neither id nor creation time, and sets the update time", async () => {
    const { service, clock } = start();
    const before = await service.addServer(HTTP);
    clock.advance(1_000);
    const changes = { name: "New", id: IDS[1], createdAt: "2020-01-01T00:00:00Z" };
    const after = { ...before, name: "New", updatedAt: "2026-01-01T00:00:01.000Z" };
    expect(await service.updateServer(ID, changes)).toEqual(after);
    expect(await service.listServers()).toEqual([after]);
  });

  it("T1.14 a new address reconnects a connected server; any other change does not", async () => {
    const { service, connector, statuses } = await connected();
    await service.updateServer(ID, { description: "d" });
    expect(connector.opened(ID)).toBe(1);
    await service.updateServer(ID, { url: "https://example.com/other" });
    expect([connector.opened(ID), service.getConnectionStatus(ID)]).toEqual([2, "connected"]);
    await waitUntil(() => connector.closed(ID) === 1);
    expect(statuses).toEqual(["0 connecting", "0 connected", "0 disconnected", "0 connecting", "0 connected"]);
  });

  it("D.26 disabling a connected server disconnects it, and connecting it is refused", async () => {
    const { service, statuses } = await connected();
    await service.updateServer(ID, { enabled: false });
    expect(await failure(service.connect(ID))).toEqual({
      code: "server-disabled",
      message: "Server 'API' is disabled. Enable it first",
    });
    expect(statuses).toEqual(["0 connecting", "0 connected", "0 disconnected"]);
  });

  it("removing a connected server disconnects it and removes its record", async () => {
    const { service, engine, connector, statuses } = await connected();
    await service.removeServer(ID);
    await waitUntil(() => connector.closed(ID) === 1);
    expect([await service.listServers(), await engine.tools.list()]).toEqual([[], []]);
    expect(statuses.at(-1)).toBe("0 disconnected");
  });

  it("S1.21 unknown ids are not found, whatever the method", async () => {
    const { service } = start();
    const notFound = { code: "server-not-found", message: "Server not found" };
    expect(await failure(service.connect(ID))).toEqual(notFound);
    expect(await failure(service.disconnect(ID))).toEqual(notFound);
    expect(await failure(service.updateServer(ID, {}))).toEqual(notFound);
    expect(await failure(service.removeServer(ID))).toEqual(notFound);
    expect(service.getConnectionStatus(ID)).toBe("disconnected");
  });
});

describe("S1.16 connecting", () => {
  it("S1.21 S1.23 announces, discovers, updates the record and only then announces connected", async () => {
    const { service, connector, records, clock } = start();
    connector.server(ID).tools = [echo];
    await service.addServer(HTTP);
    connector.server(ID).offers = {
      listResources: async () => [{ uri: "file:///a", name: "a", mimeType: "text/plain", raw: {} }],
      listPrompts: async () => [{ name: "p", arguments: [{ name: "x", required: true }], raw: {} }],
    };
    clock.advance(5_000);
    const seen: [string, Json | undefined][] = [];
    const reads: Promise<unknown>[] = [];
    service.onConnectionChange((id, status) => {
      reads.push(records.load(id).then((record) => seen.push([status, record?.lastConnectedAt])));
    });
    expect(await service.connect(ID)).toEqual({
      tools: [echo],
      resources: [{ uri: "file:///a", name: "a", mimeType: "text/plain" }],
      prompts: [{ name: "p", arguments: [{ name: "x", required: true }] }],
    });
    await Promise.all(reads);
    const time = "2026-01-01T00:00:05.000Z";
    expect(seen).toEqual([
      ["connecting", undefined],
      ["connected", time],
    ]);
    expect(await records.load(ID)).toMatchObject({ lastConnectedAt: time, updatedAt: time, createdAt: AT });
  });

  it("S1.17 a connection is disconnected, connecting, connected or in error", async () => {
    const { service, connector } = start();
    await service.addServer(HTTP);
    const seen: string[] = [service.getConnectionStatus(ID)];
    service.onConnectionChange((_id, status) => seen.push(status));
    await service.connect(ID);
    await service.disconnect(ID);
    connector.server(ID).refuse = new ConnectionError("sign-in-needed", "HTTP 401: Unauthorized");
    await expect(service.connect(ID)).rejects.toMatchObject({ code: "sign-in-needed" });
    expect(seen).toEqual(["disconnected", "connecting", "connected", "disconnected", "connecting", "error"]);
  });

  it("S1.21 a failure is announced as error and thrown as it is", async () => {
    const { service, connector, statuses } = start();
    await service.addServer(HTTP);
    connector.server(ID).refuse = new ConnectionError("sign-in-needed", "HTTP 401: Unauthorized");
    expect(await failure(service.connect(ID))).toMatchObject({ message: "HTTP 401: Unauthorized" });
    expect(statuses).toEqual(["0 connecting", "0 error"]);
    expect(service.getConnectionStatus(ID)).toBe("error");
  });

  it("T1.8 a server that cannot be discovered is not left half connected", async () => {
    const { service, connector, statuses } = start();
    await service.addServer(HTTP);
    const listResources = async () => {
      throw new ConnectionError("protocol-error", "MCP Error -32603: broken");
    };
    connector.server(ID).offers = { listResources };
    expect(await failure(service.connect(ID))).toEqual({
      code: "protocol-error",
      message: "Server 'API': MCP Error -32603: broken",
    });
    await waitUntil(() => connector.closed(ID) === 1);
    expect(await failure(service.callTool(ID, "echo", {}))).toMatchObject({ message: "Not connected to server" });
    expect(statuses).toEqual(["0 connecting", "0 error"]);
  });

  it("T1.8 concurrent connects share one attempt and get a copy each", async () => {
    const { service, connector } = start();
    await service.addServer(HTTP);
    const [one, two] = await Promise.all([service.connect(ID), service.connect(ID)]);
    expect([connector.opened(ID), one]).toEqual([1, two]);
    expect(one).not.toBe(two);
  });

  it("T1.18 D.7 connecting is retried as often as the record says", async () => {
    const { service, connector, clock, statuses } = start();
    await service.addServer({ ...HTTP, retryAttempts: 1 });
    connector.server(ID).refuse = new ConnectionError("unreachable", "nobody there");
    const attempt = service.connect(ID);
    await waitUntil(() => connector.opened(ID) === 1 && clock.pending() > 0);
    delete connector.server(ID).refuse;
    clock.advance(60_000);
    expect((await attempt).tools).toEqual([]);
    expect([connector.opened(ID), statuses]).toEqual([2, ["0 connecting", "0 connected"]]);
  });

  it("T1.8 a drop is announced", async () => {
    const { service, connector, statuses } = await connected();
    connector.drop(ID, "gone");
    await waitUntil(() => service.getConnectionStatus(ID) === "error");
    expect(statuses.at(-1)).toBe("0 error");
  });

  it("S1.22 S1.55 stdio is refused in a browser", async () => {
    const { service } = start({ ports: { place: "browser", connectors: [createScriptedConnector(["http"])] } });
    await service.addServer({ name: "Files", transport: "stdio", command: "npx" });
    expect(await failure(service.connect(ID))).toMatchObject({ message: "stdio transport not supported in browser" });
  });

  it("S1.16 T1.3 disconnecting is announced, and calls in flight end at once", async () => {
    const { service, statuses, connector } = await connected();
    connector.server(ID).answer = () => new Promise(() => undefined);
    const call = failure(service.callTool(ID, "echo", {}));
    await waitUntil(() => connector.calls.length === 1);
    await service.disconnect(ID);
    expect(await call).toMatchObject({ code: "interrupted" });
    expect([service.getConnectionStatus(ID), statuses.at(-1)]).toEqual(["disconnected", "0 disconnected"]);
    expect(await failure(service.discoverTools(ID))).toMatchObject({ code: "not-connected" });
  });

  it("S1.20 a listener is not called after unsubscribing", async () => {
    const { service, connector } = start();
    connector.server(ID).tools = [echo];
    const received: string[] = [];
    service.onConnectionChange((_id, status) => void received.push(status))();
    service.onToolCall(() => void received.push("call"))();
    await service.addServer(HTTP);
    await service.connect(ID);
    await service.callTool(ID, "echo", {});
    expect(received).toEqual([]);
  });
});

describe("S1.18 tools", () => {
  it("S1.24 without a connection nothing is called or recorded", async () => {
    const { service, calls, connector } = start();
    await service.addServer(HTTP);
    expect(await failure(service.callTool(ID, "echo", {}))).toEqual({
      code: "not-connected",
      message: "Not connected to server",
    });
    expect([calls, connector.calls]).toEqual([[], []]);
  });

  it("S1.12 S1.24 a call goes through pending, running and success; its content is returned and recorded", async () => {
    const { service, calls, engine } = await connected();
    const content = [{ type: "text", text: '{"a":1}' }];
    expect(await service.callTool(ID, "echo", { a: 1 })).toEqual(content);
    const call = { id: "call-1", serverId: ID, toolName: "echo", arguments: { a: 1 }, startedAt: AT };
    await waitUntil(() => calls.length === 3);
    expect(calls).toEqual([
      { ...call, status: "pending" },
      { ...call, status: "running" },
      { ...call, status: "success", completedAt: AT, result: content },
    ]);
    expect((await engine.calls.list({ limit: 5 })).items).toMatchObject([
      { id: "call-1", scope: "app", status: "success" },
    ]);
  });

  it("T1.6 D.8 an answer marked as an error is thrown with the server's own text", async () => {
    const { service, calls, connector } = await connected();
    const answer: ToolResult = { content: [{ type: "text", text: "no such row" }], isError: true };
    connector.server(ID).answer = () => answer;
    expect(await failure(service.callTool(ID, "echo", {}))).toEqual({ code: "tool-error", message: "no such row" });
    await waitUntil(() => calls.length === 3);
    expect(calls.at(-1)).toMatchObject({ status: "error", error: "no such row", completedAt: AT });
  });

  it("S1.24 D.8 a call the server refuses is recorded as error and thrown", async () => {
    const { service, calls, connector } = await connected();
    connector.server(ID).answer = () => {
      throw new ConnectionError("protocol-error", "MCP Error -32603: boom");
    };
    expect(await failure(service.callTool(ID, "echo", {}))).toEqual({
      code: "protocol-error",
      message: "MCP Error -32603: boom",
    });
    await waitUntil(() => calls.length === 3);
    expect(calls.map(({ status }) => status)).toEqual(["pending", "running", "error"]);
  });

  it("S1.28 S1.53 a call that takes too long ends as Request timeout", async () => {
    const { service, calls, connector, clock } = await connected();
    connector.server(ID).answer = () => new Promise(() => undefined);
    const call = failure(service.callTool(ID, "echo", {}));
    await waitUntil(() => connector.calls.length === 1);
    clock.advance(30_000);
    expect(await call).toEqual({ code: "timed-out", message: "Request timeout" });
    await waitUntil(() => calls.length === 3);
    expect(calls.at(-1)).toMatchObject({ status: "error", error: "Request timeout" });
  });

  it("S1.50 wrong arguments and unknown tools never reach the server", async () => {
    const { service, connector, calls } = await connected();
    connector.server(ID).tools = [{ ...echo, inputSchema: { type: "object", required: ["a"] } }];
    connector.toolsChanged(ID);
    await waitUntil(async () => "required" in ((await service.discoverTools(ID))[0]?.inputSchema ?? {}));
    expect(await failure(service.callTool(ID, "echo", {}))).toMatchObject({ code: "invalid-arguments" });
    expect(await failure(service.callTool(ID, "ecko", {}))).toMatchObject({ code: "unknown-tool" });
    await waitUntil(() => calls.filter(({ status }) => status === "error").length === 2);
    expect([connector.calls, calls.at(-1)?.serverId]).toEqual([[], ID]);
  });

  it("T25 a tool that is set aside does not exist for the client", async () => {
    const { service, connector } = await connected();
    connector.server(ID).tools = [echo, { name: "broken", inputSchema: { type: "banana" } }];
    connector.toolsChanged(ID);
    await waitUntil(async () => (await service.listServers()).length > 0);
    const told = await failure(service.callTool(ID, "broken", {}));
    expect(told).toEqual({ code: "unknown-tool", message: `Unknown tool 'broken' of server '${ID}'.` });
  });

  it("S1.49 asks a person by default", async () => {
    const approver = createScriptedApprover(allow, () => ({ kind: "deny" }));
    const { service } = await connected({ approver, service: { approvalMode: "always-ask" } });
    expect(await service.callTool(ID, "echo", {})).toEqual([{ type: "text", text: "{}" }]);
    expect(await failure(service.callTool(ID, "echo", {}))).toMatchObject({ code: "denied" });
    expect(approver.asked).toHaveLength(2);
  });

  it("S1.8 D.13 a tool with a name RFC-009 does not allow is listed under a name that can be called", async () => {
    const { service, connector } = start();
    connector.server(ID).tools = [{ name: "2nd.tool", inputSchema: { type: "object" } }];
    await service.addServer(HTTP);
    const { tools } = await service.connect(ID);
    expect(tools.map(({ name }) => name)).toEqual(["_2nd_tool"]);
    await service.callTool(ID, "_2nd_tool", {});
    expect(connector.calls).toMatchObject([{ name: "2nd.tool" }]);
  });

  it("T1.16 two servers with tools of the same name each answer their own calls", async () => {
    const { service, connector } = await connected({ toolbox: { collisions: "qualify" } });
    connector.server(IDS[1]).tools = [echo];
    await service.addServer({ ...HTTP, name: "Other" });
    await service.connect(IDS[1]);
    expect(await service.discoverTools(ID)).toEqual([echo]);
    await service.callTool(ID, "echo", {});
    await service.callTool(IDS[1], "echo", {});
    expect(connector.calls.map(({ server }) => server)).toEqual([ID, IDS[1]]);
  });
});

describe("S1.19 resources", () => {
  it("S1.19 lists and reads them", async () => {
    const { service, connector } = start();
    connector.server(ID).offers = {
      listResources: async () => [{ uri: "u", name: "n", description: "d", raw: { extra: 1 } }],
      readResource: async (uri) => [
        { kind: "text", uri, mimeType: "text/plain", text: "one" },
        { kind: "bytes", uri, base64: "AAEC" },
      ],
    };
    await service.addServer(HTTP);
    await service.connect(ID);
    expect(await service.listResources(ID)).toEqual([{ uri: "u", name: "n", description: "d" }]);
    expect(await service.readResource(ID, "u")).toEqual({ content: "one\nAAEC", mimeType: "text/plain" });
  });

  it("needs a connection, and reports the server's error", async () => {
    const { service } = await connected();
    expect(await failure(service.readResource(ID, "u"))).toMatchObject({ code: "protocol-error" });
    await service.disconnect(ID);
    expect(await failure(service.readResource(ID, "u"))).toMatchObject({ message: "Not connected to server" });
    expect(await failure(service.listResources(ID))).toMatchObject({ message: "Not connected to server" });
  });
});
