import { type CreateElicitationResponse, client, methods } from "@agentclientprotocol/sdk";
import type {
  ApprovalMode,
  CallSummary,
  ElicitationAnswer,
  RunEvent,
  RunRequest,
  ServerQuestion,
} from "@tacklebox/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { type EngineScript, readTool, succeeded } from "../testing/scripted-engine.ts";
import { type PlayedRun, scriptedRuns } from "../testing/scripted-runs.ts";
import { ended, promptOnce, session, startEditor, type TestEditor } from "./testing/start-editor.ts";

const start = (script: EngineScript, editor?: TestEditor) => startEditor(script, onTestFinished, editor);

const BEGUN: RunEvent = { type: "run-started", runId: "run-1", sessionId: "s", model: "m" };
const PROMPT = [{ type: "text", text: "hi" } as const];

function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it("a prompt comes from a caller with the editor's name, whose person can be asked", async () => {
  const seen: unknown[] = [];
  const play = (_request: RunRequest, { options }: PlayedRun) => {
    seen.push(options);
    return [BEGUN, ended()];
  };
  const named = { clientInfo: { name: "zed", title: "Zed", version: "1" } };
  await promptOnce(await start({ runs: scriptedRuns(play) }, { introduction: named }));
  await promptOnce(await start({ runs: scriptedRuns(play) }));
  expect(seen).toEqual([
    { attended: true, showsDefinitions: true, caller: { door: "acp", client: "Zed" } },
    { attended: true, showsDefinitions: true, caller: { door: "acp" } },
  ]);
});

it("C3.7 the editor gets updates of a call from its start to its result", async () => {
  const call: CallSummary = {
    id: "c1",
    scope: "agent",
    server: "files",
    toolName: "read",
    shownName: "files_read",
    arguments: { path: "a" },
    status: "pending",
    startedAt: "2026-01-01T00:00:00.000Z",
  };
  const outcome = succeeded({ tool: "read", arguments: {} }, "content");
  const unknown = { ...call, id: "c2", server: "", shownName: "nothing" };
  const context = await start({
    tools: { list: async () => [readTool] },
    runs: scriptedRuns(() => [
      BEGUN,
      { type: "call-changed", call },
      { type: "call-changed", call: { ...call, status: "running" } },
      { type: "call-progressed", callId: "c1", progress: { progress: 1, total: 4, message: "reading" } },
      { type: "call-changed", call: { ...call, status: "success" } },
      { type: "call-result", callId: "c1", outcome, text: "content" },
      { type: "call-changed", call: unknown },
      ended(),
    ]),
  });
  await promptOnce(context);
  const sent = context.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"));
  const text = (shown: string) => [{ type: "content", content: { type: "text", text: shown } }];
  expect(sent).toMatchObject([
    {
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      title: "files_read (files)",
      kind: "read",
      status: "pending",
      rawInput: { path: "a" },
      locations: [{ path: "/project/a" }],
    },
    { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "in_progress" },
    { sessionUpdate: "tool_call_update", toolCallId: "c1", content: text("25 % reading") },
    { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed", content: text("content") },
    { sessionUpdate: "tool_call", toolCallId: "c2", title: "nothing", status: "pending" },
  ]);
});

describe("C3.7 another approval mode", () => {
  /** A run that starts and ends when the test lets it, and reports its approval mode at both points. */
  async function startRun() {
    const [mayBegin, mayEnd] = [createGate(), createGate()];
    const seen: (ApprovalMode | undefined)[] = [];
    const steps: string[] = [];
    const context = await start({
      runs: scriptedRuns(async function* (request, { approvalMode }): AsyncGenerator<RunEvent> {
        seen.push(request.approvalMode);
        steps.push("asked for");
        await mayBegin.opened;
        yield BEGUN;
        steps.push("begun");
        await mayEnd.opened;
        seen.push(approvalMode());
        yield ended();
      }),
    });
    const { agent } = context;
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] });
    const prompt = () => agent.request(methods.agent.session.prompt, { sessionId, prompt: PROMPT });
    return { agent, sessionId, prompt, mayBegin, mayEnd, seen, steps };
  }

  it.each(["set_mode", "set_config_option"])("set by session/%s during a run reaches the run", async (way) => {
    const { agent, sessionId, prompt, mayBegin, mayEnd, seen, steps } = await startRun();
    mayBegin.open();
    const answer = prompt();
    await expect.poll(() => steps).toContain("begun");
    if (way === "set_mode") await agent.request(methods.agent.session.setMode, { sessionId, modeId: "auto" });
    else
      await agent.request(methods.agent.session.setConfigOption, {
        sessionId,
        configId: "mode",
        value: "auto",
      });
    mayEnd.open();
    await answer;
    expect(seen).toEqual(["always-ask", "auto"]);
  });

  it("set before the run has begun applies as soon as it has", async () => {
    const { agent, sessionId, prompt, mayBegin, mayEnd, seen, steps } = await startRun();
    const answer = prompt();
    await expect.poll(() => steps).toContain("asked for");
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: "auto" });
    mayBegin.open();
    mayEnd.open();
    await answer;
    expect(seen).toEqual(["always-ask", "auto"]);
  });

  it("set between two runs applies to the next one", async () => {
    const { agent, sessionId, prompt, mayBegin, mayEnd, seen } = await startRun();
    mayBegin.open();
    mayEnd.open();
    await prompt();
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: "trusted-only" });
    await prompt();
    expect(seen).toEqual(["always-ask", "always-ask", "trusted-only", "trusted-only"]);
  });
});

describe("S3.25 a question of a server", () => {
  const QUESTION: ServerQuestion = {
    id: "q1",
    callId: "c1",
    scope: "agent",
    server: "files",
    message: "Who?",
    expiresAt: Number.MAX_SAFE_INTEGER,
    kind: "form",
    schema: { type: "object", properties: { name: { type: "string" } } },
  };
  const FORMS = { clientCapabilities: { elicitation: { form: {} } } };

  /** Starts an editor whose person is asked during a run, and records the answers the engine gets. */
  async function startAsking(
    onQuestion: (signal: AbortSignal) => Promise<CreateElicitationResponse>,
    proceed: { readonly opened: Promise<void>; readonly open: () => void },
    introduction: TestEditor["introduction"] = FORMS,
  ) {
    const asked: unknown[] = [];
    const answers: unknown[] = [];
    const app = client({ name: "test" }).onRequest(methods.client.elicitation.create, ({ params, signal }) => {
      asked.push(params);
      return onQuestion(signal);
    });
    const context = await start(
      {
        runs: scriptedRuns(async function* (): AsyncGenerator<RunEvent> {
          yield BEGUN;
          yield { type: "question-asked", question: QUESTION };
          await proceed.opened;
          yield { type: "question-answered", questionId: "q1", callId: "c1", answer: "withdrawn" };
          yield ended();
        }),
        questions: {
          async answer(id: string, answer: ElicitationAnswer) {
            answers.push([id, answer]);
            proceed.open();
            return true;
          },
        },
      },
      { app, introduction },
    );
    return { context, asked, answers };
  }

  it("is shown in its session with its call, and answered", async () => {
    const content = { name: "Ada" };
    const { context, asked, answers } = await startAsking(async () => ({ action: "accept", content }), createGate());
    expect(await promptOnce(context)).toEqual({ stopReason: "end_turn" });
    expect(asked).toEqual([
      {
        sessionId: expect.any(String),
        toolCallId: "c1",
        message: "files: Who?",
        mode: "form",
        requestedSchema: QUESTION.kind === "form" && QUESTION.schema,
      },
    ]);
    expect(answers).toEqual([["q1", { kind: "accept", content }]]);
    expect(context.openings).toMatchObject([{ answersQuestions: true }]);
  });

  it("is withdrawn when its answer is no longer needed", async () => {
    const isShown = createGate();
    const cancelled = createGate();
    const { context, answers } = await startAsking((signal) => {
      signal.addEventListener("abort", cancelled.open);
      isShown.open();
      return new Promise(() => undefined);
    }, isShown);
    await promptOnce(context);
    await cancelled.opened;
    expect(answers).toEqual([]);
  });

  it("is declined where the editor cannot show it, and servers learn that no one can be asked", async () => {
    const { context, asked, answers } = await startAsking(() => Promise.reject(new Error("unused")), createGate(), {});
    await promptOnce(context);
    expect([asked, answers]).toEqual([[], [["q1", { kind: "decline" }]]]);
    expect(context.openings).toMatchObject([{ answersQuestions: false }]);
  });
});

it("a session's title is sent once it has one, and again when it changes", async () => {
  const titles = ["Untitled", "Trip", "Trip"];
  const context = await start({ sessions: { get: async (id) => session(id, { title: titles.shift() ?? "" }) } });
  const { agent } = context;
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] });
  for (let count = 0; count < 3; count += 1)
    await agent.request(methods.agent.session.prompt, { sessionId, prompt: PROMPT });
  expect(context.updates.filter(({ sessionUpdate }) => sessionUpdate === "session_info_update")).toMatchObject([
    { title: "Untitled" },
    { title: "Trip" },
  ]);
});
