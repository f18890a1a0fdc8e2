import { describe, expect, it } from "vitest";
import { listen } from "./client/listen.ts";
import type { CallOutcome, ToolResult } from "./domain/call.ts";
import { ConnectionError } from "./domain/connection.ts";
import type { EngineEvent } from "./domain/events.ts";
import { systemClock } from "./platform/system-clock.ts";
import {
  allow,
  createScriptedApprover,
  createScriptedModel,
  createTestEngine,
  engineContract,
  scriptedModels,
  sessionServer,
  type TestEngineOptions,
  testDefinition,
  waitUntil,
} from "./testing/index.ts";

const text = (value: string, isError = false): ToolResult => ({ content: [{ type: "text", text: value }], isError });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const echo = {
  name: "echo",
  inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
};
const hello = { tool: "echo", arguments: { message: "hello" } };

async function startEngine(options: TestEngineOptions = {}) {
  const test = createTestEngine({ servers: [testDefinition("echoer")], ...options });
  test.connector.server("echoer").tools = [echo];
  const report = await test.host.start();
  return { ...test, report };
}

function failureOf(outcome: CallOutcome) {
  if (outcome.status !== "error") return outcome.status;
  const { ending, message, veil } = outcome.failure;
  return { ending, message, ...(veil !== undefined && { veil }) };
}

describe("the in-process engine keeps the engine contract", () => {
  const cases = engineContract(async (turns) => {
    const models = scriptedModels(createScriptedModel(turns));
    const { host, engine, connector } = createTestEngine({
      servers: [testDefinition("echoer")],
      ports: { models, clock: systemClock },
    });
    connector.server("echoer").tools = [echo];
    connector.server("guest").tools = [{ name: "greet", inputSchema: { type: "object" } }];
    return { engine, host, guest: sessionServer("guest"), cleanup: async () => undefined };
  });
  for (const test of cases) it(test.name, test.run);
});

describe("every ending of a call", () => {
  it("unknown-tool, with the nearest name", async () => {
    const { engine } = await startEngine();
    expect(failureOf(await engine.calls.make({ tool: "ecko", arguments: {} }))).toEqual({
      ending: "unknown-tool",
      message: "Unknown tool 'ecko'. Did you mean 'echo'?",
    });
  });

  it("unknown-tool, with the nearest server if the server is unknown", async () => {
    const { engine } = await startEngine();
    expect(failureOf(await engine.calls.make({ server: "echoar", tool: "echo", arguments: {} }))).toEqual({
      ending: "unknown-tool",
      message: "Unknown tool 'echo': there is no server 'echoar'. Did you mean 'echoer'?",
      veil: {
        ending: "unknown-tool",
        message: "Unknown tool 'echo': no server 'echoar' offers any. Did you mean 'echoer'?",
      },
    });
  });

  it("S1.50 invalid-arguments, with paths, and nothing is sent", async () => {
    const { engine, connector } = await startEngine();
    const outcome = await engine.calls.make({ tool: "echo", arguments: { message: 3 } });
    expect(failureOf(outcome)).toMatchObject({ ending: "invalid-arguments" });
    expect(outcome.status === "error" && outcome.failure.problems?.map(({ path }) => path)).toEqual(["/message"]);
    expect(connector.calls).toEqual([]);
  });

  it("denied by the tool's setting", async () => {
    const { engine, connector } = await startEngine({ toolbox: { tools: [{ name: "echo", approval: "deny" }] } });
    expect(failureOf(await engine.calls.make(hello))).toEqual({
      ending: "denied",
      message: "Tool call denied: The tool setting is approval: deny. To allow it, change that setting",
      veil: { ending: "denied", message: "Tool call denied: The tool setting is approval: deny" },
    });
    expect(connector.calls).toEqual([]);
  });

  it("denied by the person who was asked", async () => {
    const approver = createScriptedApprover(() => ({ kind: "deny", reason: "not today" }));
    const { engine } = await startEngine({ approver });
    expect(failureOf(await engine.calls.make(hello, { approvalMode: "always-ask", attended: true }))).toEqual({
      ending: "denied",
      message: "Tool call denied: not today",
    });
  });

  it("approval-expired if no one answers", async () => {
    const { engine, clock, approver } = await startEngine();
    const outcome = engine.calls.make(hello, { approvalMode: "always-ask", attended: true });
    await waitUntil(() => approver.asked.length === 1);
    clock.advance(10 * 60_000);
    expect(failureOf(await outcome)).toEqual({
      ending: "approval-expired",
      message: "Nobody answered the approval of tool 'echo' in time",
    });
  });

  it("limit when the tool stays busy past the wait", async () => {
    const { engine, clock, connector } = await startEngine({
      toolbox: { tools: [{ name: "echo", maxInstances: 1, timeoutMs: 90_000 }] },
    });
    connector.server("echoer").answer = () => new Promise(() => undefined);
    const first = engine.calls.make(hello);
    await waitUntil(() => connector.calls.length === 1);
    const second = engine.calls.make(hello);
    await waitUntil(async () => (await engine.calls.list({ limit: 5, status: "pending" })).items.length === 1);
    clock.advance(30_000);
    expect(failureOf(await second)).toEqual({
      ending: "limit",
      message: "Tool 'echo' is at its limit of 1 concurrent calls",
    });
    clock.advance(60_000);
    expect(failureOf(await first)).toMatchObject({ ending: "timed-out" });
  });

  it("unreachable when the server cannot be connected", async () => {
    const { engine, connector, clock } = await startEngine();
    connector.server("echoer").refuse = new ConnectionError("unreachable", "connection refused");
    connector.drop("echoer", "it exited with code 1");
    clock.advance(2_000);
    expect(failureOf(await engine.calls.make(hello))).toEqual({
      ending: "unreachable",
      message: "Server 'echoer' is down: connection refused. For its status, run: show the servers",
    });
  });

  it.each([
    [
      "sign-in-needed",
      `Server 'echoer' requires you to sign in: HTTP 401: Unauthorized. Add a token to its headers, such as Authorization: "Bearer \${secret:NAME}", and store the token with: keep NAME`,
    ],
    ["interrupted", "Server 'echoer' went away before it answered; the call may have run. HTTP 401: Unauthorized"],
    ["protocol-error", "HTTP 401: Unauthorized"],
    ["oversize", "HTTP 401: Unauthorized"],
  ] as const)("%s as the connection says", async (code, message) => {
    const { engine, connector } = await startEngine();
    connector.server("echoer").answer = () => {
      throw new ConnectionError(code, "HTTP 401: Unauthorized");
    };
    expect(failureOf(await engine.calls.make(hello))).toEqual({ ending: code, message });
  });

  it("S2.11 interrupted at once when the server drops in the middle of a call", async () => {
    const { engine, connector } = await startEngine();
    connector.server("echoer").answer = () => new Promise(() => undefined);
    const outcome = engine.calls.make(hello);
    await waitUntil(() => connector.calls.length === 1);
    connector.drop("echoer", "it exited with code 7");
    expect(failureOf(await outcome)).toMatchObject({ ending: "interrupted" });
  });

  it("timed-out after the tool's own timeout, not counting the wait for a slot", async () => {
    const { engine, connector, clock, used } = await startEngine({
      toolbox: { tools: [{ name: "echo", timeoutMs: 2_000 }] },
    });
    connector.server("echoer").answer = () => new Promise(() => undefined);
    const outcome = engine.calls.make(hello);
    await waitUntil(() => connector.calls.length === 1);
    clock.advance(2_000);
    expect(failureOf(await outcome)).toEqual({
      ending: "timed-out",
      message: "Tool 'echo' did not answer within 2 s; it may have run",
    });
    expect(used).toEqual([{ tool: "echo", seconds: 2 }]);
  });

  it("cancelled by the caller: before, while waiting for approval, while waiting for a slot, and while running", async () => {
    const { engine, connector, approver } = await startEngine({
      toolbox: { tools: [{ name: "echo", maxInstances: 1 }] },
    });
    connector.server("echoer").answer = () => new Promise(() => undefined);
    expect(failureOf(await engine.calls.make(hello, { signal: AbortSignal.abort() }))).toMatchObject({
      ending: "cancelled",
    });
    const asked = new AbortController();
    const waitingForAnswer = engine.calls.make(hello, {
      signal: asked.signal,
      approvalMode: "always-ask",
      attended: true,
    });
    await waitUntil(() => approver.asked.length === 1);
    asked.abort();
    expect(failureOf(await waitingForAnswer)).toMatchObject({ ending: "cancelled" });
    const running = new AbortController();
    const runningCall = engine.calls.make(hello, { signal: running.signal });
    await waitUntil(() => connector.calls.length === 1);
    const waiting = new AbortController();
    const waitingCall = engine.calls.make(hello, { signal: waiting.signal });
    await waitUntil(async () => (await engine.calls.list({ limit: 1, status: "pending" })).items.length === 1);
    waiting.abort();
    expect(failureOf(await waitingCall)).toMatchObject({ ending: "cancelled" });
    running.abort();
    expect(failureOf(await runningCall)).toMatchObject({ ending: "cancelled" });
  });

  it("D.8 tool-error for an in-band error, with the server's own text and result", async () => {
    const { engine, connector } = await startEngine();
    connector.server("echoer").answer = () => text("it broke", true);
    const outcome = await engine.calls.make(hello);
    expect(failureOf(outcome)).toEqual({ ending: "tool-error", message: "it broke" });
    expect(outcome.status === "error" && outcome.failure.result).toEqual(text("it broke", true));
    const [record] = (await engine.calls.list({ limit: 1 })).items;
    expect(record).toMatchObject({ status: "error", ending: "tool-error", error: "it broke" });
  });

  it("oversize when a result is too large to keep", async () => {
    const { engine, connector } = await startEngine();
    connector.server("echoer").answer = () => text("x".repeat(17 * 1024 * 1024));
    expect(failureOf(await engine.calls.make(hello))).toMatchObject({ ending: "oversize" });
  });

  it("counts every ending in the metrics", async () => {
    const { engine, endings } = await startEngine();
    await engine.calls.make(hello);
    await engine.calls.make({ tool: "nope", arguments: {} });
    expect(endings).toEqual(["success", "unknown-tool"]);
  });
});

describe("limits hold at the server", () => {
  it("D.11 a timed-out call keeps its slot until the server's late reply", async () => {
    const { engine, connector, clock } = await startEngine({
      toolbox: { tools: [{ name: "echo", maxInstances: 1, timeoutMs: 1_000 }] },
    });
    const server = connector.server("echoer");
    server.ignoresCancel = true;
    let reply: (result: ToolResult) => void = () => undefined;
    server.answer = () => new Promise((resolve) => (reply = resolve));
    const first = engine.calls.make(hello);
    await waitUntil(() => connector.calls.length === 1);
    clock.advance(1_000);
    expect(failureOf(await first)).toMatchObject({ ending: "timed-out" });
    const second = engine.calls.make(hello);
    await turn();
    expect(connector.calls).toHaveLength(1);
    server.answer = () => text("second");
    reply(text("late"));
    expect(await second).toMatchObject({ status: "success", result: text("second") });
  });

  it("after the grace period the connection is replaced, and only then is the slot free", async () => {
    const { engine, connector, clock } = await startEngine({
      toolbox: { tools: [{ name: "echo", maxInstances: 1, timeoutMs: 1_000 }] },
    });
    const server = connector.server("echoer");
    server.ignoresCancel = true;
    server.answer = () => new Promise(() => undefined);
    const first = engine.calls.make(hello);
    await waitUntil(() => connector.calls.length === 1);
    clock.advance(1_000);
    await first;
    server.answer = () => text("fresh");
    const second = engine.calls.make(hello);
    await turn();
    expect(connector.closed("echoer")).toBe(0);
    clock.advance(5_000);
    expect(await second).toMatchObject({ status: "success", result: text("fresh") });
    expect([connector.opened("echoer"), connector.closed("echoer")]).toEqual([2, 1]);
  });

  it("S1.54 a server's rate limit makes calls wait, then refuses them", async () => {
    const servers = [testDefinition("echoer", { rate: { perMinute: 6, burst: 1 } })];
    const { engine, clock } = await startEngine({ servers });
    expect((await engine.calls.make(hello)).status).toBe("success");
    const second = engine.calls.make(hello);
    await waitUntil(async () => (await engine.calls.list({ limit: 1, status: "pending" })).items.length === 1);
    clock.advance(10_000);
    expect((await second).status).toBe("success");
    const many = Array.from({ length: 5 }, () => engine.calls.make(hello));
    const last = await many[4];
    expect(last && failureOf(last)).toEqual({
      ending: "limit",
      message: "Server 'echoer' is at its rate limit of 6 calls per minute",
    });
    clock.advance(60_000);
    await Promise.all(many);
  });
});

describe("approvals", () => {
  it("an answer counts only for the arguments and definition that were shown", async () => {
    const approver = createScriptedApprover((request) => ({
      ...allow(request),
      kind: "allow",
      argumentsDigest: "other",
      fingerprint: request.fingerprint,
    }));
    const { engine, connector } = await startEngine({ approver });
    expect(failureOf(await engine.calls.make(hello, { approvalMode: "always-ask", attended: true }))).toMatchObject({
      ending: "denied",
    });
    expect(connector.calls).toEqual([]);
  });

  it("edited arguments are checked again before the approval counts", async () => {
    const edit = (message: unknown) => (request: Parameters<typeof allow>[0]) =>
      ({ ...allow(request), editedArguments: { message: message as string } }) as ReturnType<typeof allow>;
    const approver = createScriptedApprover(edit(3), edit("edited"));
    const { engine, connector } = await startEngine({ approver });
    expect((await engine.calls.make(hello, { approvalMode: "always-ask", attended: true })).status).toBe("success");
    expect(approver.asked).toHaveLength(2);
    expect(approver.asked[1]?.reason).toMatch(/^Invalid arguments for tool 'echo'/);
    expect(connector.calls.map((call) => call.arguments)).toEqual([{ message: "edited" }]);
  });

  it("a call that waits for approval is stored as pending at once", async () => {
    const { engine, approver } = await startEngine();
    const abort = new AbortController();
    const outcome = engine.calls.make(hello, { approvalMode: "always-ask", attended: true, signal: abort.signal });
    await waitUntil(() => approver.asked.length === 1);
    expect((await engine.calls.list({ limit: 1 })).items).toMatchObject([{ status: "pending" }]);
    abort.abort();
    await outcome;
  });
});

describe("events", () => {
  it("T1.9 an event is a copy of what the caller and the server hold, progress included", async () => {
    const { engine, connector } = await startEngine();
    const given = { message: "hello" };
    const progress = { progress: 1, total: 2, message: "half" };
    connector.server("echoer").answer = (call) => {
      call.onProgress?.(progress);
      return text("done");
    };
    const seen: EngineEvent[] = [];
    listen(engine, (event) => seen.push(event));
    await engine.calls.make({ tool: "echo", arguments: given });
    given.message = "spoiled";
    progress.message = "spoiled";
    await waitUntil(() => seen.length === 4);
    expect(seen.map(({ type }) => type)).toEqual(["call-changed", "call-changed", "call-progressed", "call-changed"]);
    expect(seen[0]).toMatchObject({ call: { status: "pending", arguments: { message: "hello" } } });
    expect(seen[2]).toEqual({
      type: "call-progressed",
      callId: "call-1",
      progress: { progress: 1, total: 2, message: "half" },
    });
    expect(JSON.stringify(seen)).not.toContain("spoiled");
  });
});

describe("secrets", () => {
  it("S1.48 known secrets are redacted in results, errors, records and events", async () => {
    const secret = "canary-7f3a9b";
    const servers = [
      testDefinition("echoer", { launch: { transport: "stdio", command: "x", args: [], env: { API_TOKEN: secret } } }),
    ];
    const { engine, connector } = await startEngine({ servers });
    const events: EngineEvent[] = [];
    listen(engine, (event) => events.push(event));
    connector.server("echoer").answer = () => text(`token is ${secret}`);
    const good = await engine.calls.make({ tool: "echo", arguments: { message: secret } });
    connector.server("echoer").answer = () => {
      throw new ConnectionError("protocol-error", `bad ${secret}`);
    };
    const bad = await engine.calls.make(hello);
    await waitUntil(() => events.length === 6);
    const everything = JSON.stringify([good, bad, events, (await engine.calls.list({ limit: 10 })).items]);
    expect(everything).not.toContain(secret);
    expect(everything).toContain("[redacted]");
    expect(connector.calls[0]?.arguments).toEqual({ message: secret });
  });
});

describe("output schemas", () => {
  it("marks structured content that does not fit, and drops nothing", async () => {
    const { host, engine, connector } = createTestEngine({ servers: [testDefinition("echoer")] });
    connector.server("echoer").tools = [{ ...echo, outputSchema: { type: "object", required: ["n"] } }];
    await host.start();
    connector.server("echoer").answer = () => ({ content: [], structuredContent: {}, isError: false });
    const outcome = await engine.calls.make(hello);
    expect(outcome.status === "success" && outcome.result.meta?.["tacklebox/outputSchema"]).toBe('/: is missing "n"');
    connector.server("echoer").answer = () => ({ content: [], structuredContent: { n: 1 }, isError: false });
    const fine = await engine.calls.make(hello);
    expect(fine.status === "success" && fine.result.meta).toBeUndefined();
  });
});
