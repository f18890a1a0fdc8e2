import { describe, expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../domain/approval.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { ServerDefinition } from "../domain/server.ts";
import {
  allow,
  createScriptedApprover,
  createScriptedConnector,
  ECHO,
  openTestSession,
  sessionServer,
  shownNames,
  startTestRuns,
  waitUntil,
} from "../testing/index.ts";

const always = (request: ApprovalRequest): ApprovalAnswer => ({ ...allow(request), lasting: "always" });
const forSession = (request: ApprovalRequest): ApprovalAnswer => ({ ...allow(request), lasting: "session" });

/** Servers are identified by their address, so that one name stands for a different server in each session. */
async function startTwoHosts(...answers: ((request: ApprovalRequest) => ApprovalAnswer)[]) {
  const connector = createScriptedConnector(["http"], ({ launch }) => ("url" in launch ? launch.url : ""));
  connector.server(urlOf("a")).tools = [{ ...ECHO, name: "only_a" }, ECHO];
  connector.server(urlOf("b")).tools = [{ ...ECHO, name: "only_b" }, ECHO];
  const approver = createScriptedApprover(...answers);
  const test = await startTestRuns([], { servers: [], approver, ports: { connectors: [connector] } });
  const events: EngineEvent[] = [];
  listen(test.engine, (event) => events.push(event));
  return { ...test, approver, connector, events };
}

const urlOf = (host: string) => `https://${host}.example/mcp`;

function api(host: string, changes: Partial<ServerDefinition> = {}): ServerDefinition {
  const headers = { Authorization: `Bearer token-of-${host}` };
  const launch = { transport: "http", url: urlOf(host), headers, authentication: { type: "none" } } as const;
  return sessionServer("api", "", { launch, ...changes });
}

const echo = { tool: "echo", arguments: { message: "x" } };
const ASK = { approvalMode: "always-ask", attended: true } as const;

describe("S3.25 two sessions whose servers have the same name", () => {
  it("each have their own tools, connections, addresses and headers", async () => {
    const { engine, connector, events } = await startTwoHosts();
    const a = await openTestSession(engine, [api("a")]);
    const b = await openTestSession(engine, [api("b")]);
    expect([await shownNames(engine, a), await shownNames(engine, b), await shownNames(engine)]).toEqual([
      ["echo", "only_a"],
      ["echo", "only_b"],
      [],
    ]);
    await engine.calls.make(echo, { sessionId: a });
    await engine.calls.make(echo, { sessionId: b });
    expect(connector.calls.map(({ server }) => server)).toEqual([urlOf("a"), urlOf("b")]);
    const lost = await engine.calls.make({ ...echo, tool: "only_b" }, { sessionId: a });
    expect(lost).toMatchObject({ status: "error", failure: { ending: "unknown-tool" } });
    const seenByA = JSON.stringify([await engine.servers.list({ sessionId: a }), lost]);
    expect(seenByA.includes("b.example")).toBe(false);
    expect(seenByA.includes("token-of-b")).toBe(false);
    await waitUntil(() => JSON.stringify(events).includes("unknown-tool"));
    const ownEvents = events.filter((event) => "sessionId" in event && event.sessionId === a);
    expect(ownEvents.map(({ type }) => type)).toContain("connection-changed");
    expect(JSON.stringify(ownEvents)).not.toContain("only_b");
    expect(JSON.stringify(events)).not.toContain("token-of");
  });

  it("have limits of their own: calls of one do not use up the other's", async () => {
    const { engine, connector } = await startTwoHosts();
    const one = { defaultToolConfig: { maxInstances: 1 }, maxConcurrent: 1 };
    const a = await openTestSession(engine, [api("a", one)]);
    const b = await openTestSession(engine, [api("b", one)]);
    connector.server(urlOf("a")).answer = () => new Promise(() => undefined);
    const stop = new AbortController();
    const held = engine.calls.make(echo, { sessionId: a, signal: stop.signal });
    expect(await engine.calls.make(echo, { sessionId: b })).toMatchObject({ status: "success" });
    stop.abort();
    await held;
  });

  it("are unaffected when the other is closed or changes", async () => {
    const { engine, connector } = await startTwoHosts();
    const a = await openTestSession(engine, [api("a")]);
    const b = await openTestSession(engine, [api("b")]);
    connector.drop(urlOf("a"), "gone");
    expect((await engine.servers.list({ sessionId: b }))[0]?.status).toBe("connected");
    await engine.sessions.close(a);
    expect(await engine.calls.make(echo, { sessionId: b })).toMatchObject({ status: "success" });
    expect(connector.live()).toBe(1);
  });

  it("do not share a permanent answer: it counts for that launch alone, in any session", async () => {
    const { engine, approver } = await startTwoHosts(always, always);
    const a = await openTestSession(engine, [api("a")]);
    const b = await openTestSession(engine, [api("b")]);
    await engine.calls.make(echo, { ...ASK, sessionId: a });
    expect(approver.asked).toHaveLength(1);
    await engine.calls.make(echo, { ...ASK, sessionId: b });
    // The definition approved for the other session's server is not shown here.
    expect(approver.asked.map(({ sessionId, changedFrom }) => [sessionId, changedFrom])).toEqual([
      [a, undefined],
      [b, undefined],
    ]);
    await engine.sessions.close(a);
    const later = await openTestSession(engine, [api("a")]);
    expect(await engine.calls.make(echo, { ...ASK, sessionId: later })).toMatchObject({ status: "success" });
    expect(await engine.calls.make(echo, { ...ASK, sessionId: b })).toMatchObject({ status: "success" });
    expect(approver.asked).toHaveLength(2);
    const grants = await engine.grants.list();
    expect(grants.map(({ scope, tool, server }) => [scope, tool, server.startsWith("api@")])).toEqual([
      ["session", "echo", true],
      ["session", "echo", true],
    ]);
    expect(JSON.stringify(grants)).not.toContain("token-of");
  });

  it("do not share an answer given for the session", async () => {
    const { engine, approver } = await startTwoHosts(forSession, forSession);
    const one = await openTestSession(engine, [api("a")]);
    const other = await openTestSession(engine, [api("a")]);
    await engine.calls.make(echo, { ...ASK, sessionId: one });
    await engine.calls.make(echo, { ...ASK, sessionId: one });
    expect(approver.asked).toHaveLength(1);
    await engine.calls.make(echo, { ...ASK, sessionId: other });
    expect(approver.asked).toHaveLength(2);
  });

  it("T16 a tool that changes within a session loses its approvals", async () => {
    const { engine, connector, approver, logger } = await startTwoHosts(always, always);
    const a = await openTestSession(engine, [api("a")]);
    await engine.calls.make(echo, { ...ASK, sessionId: a });
    connector.server(urlOf("a")).tools = [{ ...ECHO, description: "Says it to others, too" }];
    connector.toolsChanged(urlOf("a"));
    await expect.poll(() => shownNames(engine, a)).toEqual(["echo"]);
    await engine.calls.make(echo, { ...ASK, sessionId: a });
    expect(approver.asked[1]?.changedFrom).toMatchObject({ description: ECHO.description });
    expect(logger.texts("warn")).toContain(
      "Tools of MCP server 'api' changed since they were accepted: echo. They still run; what was allowed before is asked about again",
    );
  });
});
