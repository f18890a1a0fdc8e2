import { describe, expect, it } from "vitest";
import { loadConversation } from "../client/load-conversation.ts";
import type { IncludeMode } from "../domain/approval.ts";
import {
  asksFor,
  endOfRun,
  outcomesOfRun,
  says,
  sessionOfRun,
  startTestRuns,
  TEST_GPT,
  testDefinition,
  waitUntil,
} from "../testing/index.ts";

/** Tool `plain` follows its server, which has the given include mode; `quiet` is `manual`. */
async function startRuns(include: IncludeMode, options: Parameters<typeof startTestRuns>[1] = {}) {
  const servers = [testDefinition("s", { include })];
  const toolbox = { tools: [{ name: "quiet", include: "manual" as const }] };
  const test = await startTestRuns([], { servers, toolbox, ...options });
  test.connector.server("s").tools = [{ name: "plain" }, { name: "quiet" }];
  test.connector.toolsChanged("s");
  await waitUntil(async () => (await test.engine.tools.list()).length === 2);
  const offered = async (text: string, request: Parameters<typeof test.run>[1] = {}) => {
    const sessionId = sessionOfRun(await test.run(text, request));
    return { sessionId, tools: test.model.requests.at(-1)?.tools.map(({ name }) => name) };
  };
  return { ...test, offered };
}

describe("C3.1 whether a tool is in a session", () => {
  it("depends on its own include mode, then its server's; without either it is always there", async () => {
    const { offered } = await startRuns("always");
    expect((await offered("hi")).tools).toEqual(["plain"]);
    expect((await (await startRuns("manual")).offered("hi")).tools).toEqual([]);
  });

  it("a GPT's setting for a tool wins over both", async () => {
    const tools = { "s:plain": "manual", "s:quiet": "always" } as const;
    const { offered } = await startRuns("always", { gpts: [{ ...TEST_GPT, tools }] });
    expect((await offered("hi", { gpt: "helper" })).tools).toEqual(["quiet"]);
  });

  it("any tool can be added and removed by hand, for this session alone and permanently", async () => {
    const { offered, engine } = await startRuns("always");
    const { sessionId } = await offered("hi");
    expect(await engine.sessions.setTool(sessionId, "quiet", "in")).toMatchObject({
      kind: "ok",
      value: { id: sessionId, tools: { "s:quiet": "in" } },
    });
    await engine.sessions.setTool(sessionId, "s:plain", "out");
    expect((await offered("again", { sessionId })).tools).toEqual(["quiet"]);
    expect((await offered("hi")).tools).toEqual(["plain"]);
    await engine.sessions.setTool(sessionId, "quiet");
    await engine.sessions.setTool(sessionId, "plain");
    expect((await loadConversation(engine, sessionId))?.session.tools).toEqual({});
    expect((await offered("and again", { sessionId })).tools).toEqual(["plain"]);
  });

  it("no choice is lost when several are made at once, also beside a prompt", async () => {
    const { offered, engine, run } = await startRuns("always");
    const { sessionId } = await offered("hi");
    await Promise.all([
      engine.sessions.setTool(sessionId, "quiet", "in"),
      engine.sessions.setTool(sessionId, "plain", "out"),
    ]);
    expect((await engine.sessions.get(sessionId))?.tools).toEqual({ "s:quiet": "in", "s:plain": "out" });
    await Promise.all([
      run("again", { sessionId, tools: { quiet: "out" } }),
      engine.sessions.setTool(sessionId, "plain", "in"),
    ]);
    expect((await engine.sessions.get(sessionId))?.tools).toEqual({ "s:quiet": "out", "s:plain": "in" });
  });

  it("a prompt can do the same, also for the session's next prompts", async () => {
    const { offered } = await startRuns("always");
    const { sessionId, tools } = await offered("hi", { tools: { "s:quiet": "in", plain: "out" } });
    expect(tools).toEqual(["quiet"]);
    expect((await offered("again", { sessionId })).tools).toEqual(["quiet"]);
  });

  it("a tool that is not in the session cannot be called in it", async () => {
    const { run, connector } = await startTestRuns([
      asksFor({ id: "m1", tool: "echo", arguments: { message: "x" } }),
      says("I see."),
    ]);
    const events = await run("x", { tools: { echo: "out" } });
    expect(outcomesOfRun(events)).toMatchObject([{ status: "error", failure: { ending: "unknown-tool" } }]);
    expect(connector.calls).toEqual([]);
  });

  it("a tool that does not exist, or that the GPT never uses, is refused before anything is sent", async () => {
    const gpts = [{ ...TEST_GPT, tools: { "s:plain": "off" as const } }];
    const { run, engine, model, offered } = await startRuns("always", { gpts });
    expect(endOfRun(await run("x", { tools: { quite: "in" } }))).toEqual({
      reason: "not-started",
      message: "There is no tool 'quite' here. Did you mean 'quiet'?",
    });
    const barred = "GPT 'helper' never uses the tool 'plain'. Change the GPT first";
    expect(endOfRun(await run("x", { gpt: "helper", tools: { plain: "in" } }))).toEqual({
      reason: "not-started",
      message: barred,
    });
    expect(model.requests).toEqual([]);
    const { sessionId } = await offered("hi", { gpt: "helper" });
    const answers = [
      await engine.sessions.setTool(sessionId, "plain", "in"),
      await engine.sessions.setTool(sessionId, "nobody", "in"),
      await engine.sessions.setTool("nobody", "plain", "in"),
    ];
    expect(answers.map((answer) => answer.kind === "failed" && answer.failure.message)).toEqual([
      barred,
      "There is no tool 'nobody' here. Tools go by their shown name, or as server:tool",
      "There is no session 'nobody'",
    ]);
  });

  it("a choice for a tool whose server is gone can still be removed", async () => {
    const { offered, engine, connector } = await startRuns("always");
    const { sessionId } = await offered("hi", { tools: { quiet: "in" } });
    connector.server("s").tools = [{ name: "plain" }];
    connector.toolsChanged("s");
    await waitUntil(async () => (await engine.tools.list()).length === 1);
    expect(await engine.sessions.setTool(sessionId, "s:quiet")).toMatchObject({ kind: "ok", value: { tools: {} } });
  });
});
