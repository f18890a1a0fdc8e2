import { methods } from "@agentclientprotocol/sdk";
import type { ApprovalAnswer, RunEnd, RunEvent } from "@tacklebox/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "../commands/acp.ts";
import { APPROVAL_REQUEST } from "../testing/approval-request.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import type { EngineScript } from "../testing/scripted-engine.ts";
import { scriptedRuns } from "../testing/scripted-runs.ts";
import { ended, OPTIONS, promptOnce, session, startEditor } from "./testing/start-editor.ts";

const start = (script: EngineScript) => startEditor(script, onTestFinished);

describe("how a prompt ends", () => {
  it.each<[RunEnd, string]>([
    [{ reason: "done" }, "end_turn"],
    [{ reason: "length" }, "max_tokens"],
    [{ reason: "refused" }, "refusal"],
    [{ reason: "cancelled" }, "cancelled"],
    [{ reason: "too-many-rounds", message: "Error: too many." }, "max_turn_requests"],
  ])("C3.7 %j is %s", async (end, stopReason) => {
    const context = await start({ runs: scriptedRuns(() => [ended(end)]) });
    expect(await promptOnce(context)).toEqual({ stopReason });
  });

  it.each<RunEnd>([
    { reason: "model-error", code: "auth", message: "The key was refused." },
    { reason: "not-started", message: "There is no model." },
    { reason: "session-not-kept", message: "The disk is full." },
    { reason: "interrupted", message: "A bug." },
  ])("%j is an error with its text", async (end) => {
    const context = await start({ runs: scriptedRuns(() => [ended(end)]) });
    const { message } = end as { message: string };
    await expect(promptOnce(context)).rejects.toMatchObject({ code: -32_603, message });
  });

  it("a start that fails and models that cannot be listed are reported and end nothing", async () => {
    const context = await start({
      host: { start: () => Promise.reject(new Error("The call log is damaged.")) },
      models: { list: () => Promise.reject(new Error("The vault is locked.")) },
    });
    await expect(promptOnce(context)).rejects.toMatchObject({
      code: -32_603,
      message: "Tacklebox could not start. The call log is damaged.",
    });
    expect(context.io.stderr.text()).toContain("The vault is locked.");
    context.end();
    expect(await context.exit).toBe(0);
  });

  it("a session that the engine cannot open is reported with the next prompt", async () => {
    const failure = { code: "unavailable", message: "Tacklebox is stopping" } as const;
    const context = await start({ sessions: { open: async () => ({ kind: "failed", failure }) } });
    await expect(promptOnce(context)).rejects.toMatchObject({ code: -32_603, message: "Tacklebox is stopping" });
  });
});

it("a server's prompt that no model can read is answered with the reason", async () => {
  const voice = { name: "voice", arguments: [], raw: {} };
  const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
  const { agent, updates } = await start({
    servers: {
      offers: async () => [{ server: "s", resources: [], templates: [], prompts: [voice] }],
      getPrompt: async () => ({ kind: "ok", value: { messages: [{ role: "user", content: audio }] } }),
    },
  });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] });
  await expect.poll(() => JSON.stringify(updates)).toContain('"s:voice"');
  const prompt = [{ type: "text" as const, text: "/s:voice" }];
  expect(await agent.request(methods.agent.session.prompt, { sessionId, prompt })).toEqual({ stopReason: "end_turn" });
  expect(JSON.stringify(updates)).toContain(
    "/s:voice failed: prompt[0] cannot be used: a 'audio' block like this is not understood here",
  );
});

it("remarks that are not part of the conversation are sent as thoughts", async () => {
  const selection = { tools: [], left: 900, demoted: 0, capped: 2 };
  const context = await start({
    runs: scriptedRuns(() => [
      { type: "waiting-for-servers", servers: ["a", "b"] },
      { type: "selection-made", selection },
      { type: "context-trimmed", messages: 3 },
      ended(),
    ]),
  });
  await promptOnce(context);
  expect(context.updates).toContainEqual({
    sessionUpdate: "agent_thought_chunk",
    content: {
      type: "text",
      text: expect.stringMatching(
        /^Waiting for MCP servers: a, b\n0 of 902 tools .+\n.+3 older messages were left out\n$/,
      ),
    },
  });
});

describe("S3.22 a session", () => {
  it("S3.7 S3.21 is opened with the servers and folders of its client", async () => {
    const openings: unknown[] = [];
    const context = await start({
      sessions: {
        open: async (opening) => {
          openings.push(opening);
          return { kind: "ok", value: session(opening.wantedId ?? "") };
        },
      },
    });
    const { sessionId } = await context.agent.request(methods.agent.session.new, {
      cwd: "/project",
      additionalDirectories: ["/more"],
      mcpServers: [{ name: "files", command: "/bin/files", args: ["."], env: [{ name: "A", value: "b" }] }],
    });
    await context.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "/mcp" }] });
    expect(openings).toMatchObject([
      {
        wantedId: sessionId,
        folders: ["/project", "/more"],
        servers: [
          {
            scope: "session",
            key: "files",
            include: "always",
            launch: { transport: "stdio", command: "/bin/files", args: ["."], env: { A: "b" }, cwd: "/project" },
          },
        ],
      },
    ]);
  });

  it("gets the choices once more before its first prompt is answered", async () => {
    const context = await start({});
    const sent = () => context.updates.filter(({ sessionUpdate }) => sessionUpdate === "config_option_update").length;
    const { sessionId } = await context.agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] });
    await expect.poll(sent).toBe(1);
    const prompt = [{ type: "text", text: "hi" } as const];
    await context.agent.request(methods.agent.session.prompt, { sessionId, prompt });
    expect(sent()).toBe(2);
    await context.agent.request(methods.agent.session.prompt, { sessionId, prompt });
    expect(sent()).toBe(2);
  });

  it("S3.15 that is closed while it is being opened leaves nothing in the engine", async () => {
    let opening: () => void = () => undefined;
    const mayOpen = new Promise<void>((resolve) => {
      opening = resolve;
    });
    const closed: string[] = [];
    const context = await start({
      sessions: {
        async open({ wantedId = "" }) {
          await mayOpen;
          return { kind: "ok", value: session(wantedId) };
        },
        close: async (id) => closed.push(id) > 0,
      },
    });
    const { sessionId } = await context.agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] });
    await context.agent.request(methods.agent.session.close, { sessionId });
    opening();
    await expect.poll(() => closed).toEqual([sessionId, sessionId]);
  });

  it("that is opened again during a prompt is opened when that prompt is over", async () => {
    const steps: string[] = [];
    let end: () => void = () => undefined;
    const context = await start({
      sessions: {
        async open({ id, wantedId = "" }) {
          steps.push(id === undefined ? "begun" : "opened again");
          return { kind: "ok", value: session(id ?? wantedId) };
        },
      },
      runs: scriptedRuns(async function* (_request, { signal }): AsyncGenerator<RunEvent> {
        steps.push("working");
        signal.addEventListener("abort", () => steps.push("cancelled"));
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        steps.push("over");
        yield ended({ reason: "cancelled" });
      }),
    });
    const { sessionId } = await context.agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] });
    const prompt = [{ type: "text", text: "hi" } as const];
    const answer = context.agent.request(methods.agent.session.prompt, { sessionId, prompt });
    await expect.poll(() => steps).toContain("working");
    const resumed = context.agent.request(methods.agent.session.resume, { sessionId, cwd: "/project", mcpServers: [] });
    await expect.poll(() => steps).toContain("cancelled");
    end();
    await Promise.all([answer, resumed]);
    expect(steps).toEqual(["begun", "working", "cancelled", "over", "opened again"]);
  });

  it("that is opened again is answered with every model, however long finding them takes", async () => {
    const model = { name: "local", vendor: "demo", modelId: "words", source: "config" } as const;
    let found: () => void = () => undefined;
    const context = await start({
      sessions: {
        async open({ id = "" }) {
          // Waits until the session is open.
          setImmediate(() => found());
          return { kind: "ok", value: session(id) };
        },
      },
      models: {
        async list() {
          await new Promise<void>((resolve) => {
            found = resolve;
          });
          return [{ ...model, isDefault: true, vision: false, contextTokens: 1000 }];
        },
      },
    });
    const params = { sessionId: "s", cwd: "/project", mcpServers: [] };
    const options = [expect.objectContaining({ value: "default" }), expect.objectContaining({ value: "local" })];
    expect(await context.agent.request(methods.agent.session.resume, params)).toMatchObject({
      configOptions: expect.arrayContaining([expect.objectContaining({ id: "model", options })]),
    });
  });

  it("S3.5 that is opened again while it is being opened uses its client's last request, and stays open", async () => {
    const steps: string[] = [];
    const openings: (() => void)[] = [];
    const context = await start({
      sessions: {
        async open({ id = "", servers }) {
          const names = servers.map(({ key }) => key).join();
          steps.push(`opening ${names}`);
          await new Promise<void>((resolve) => openings.push(resolve));
          steps.push(`opened ${names}`);
          return { kind: "ok", value: session(id) };
        },
        close: async (id) => steps.push(`closed ${id}`) > 0,
      },
    });
    const load = (name: string) =>
      context.agent.request(methods.agent.session.load, {
        sessionId: "s",
        cwd: "/project",
        mcpServers: [{ name, command: "/bin/x", args: [], env: [] }],
      });
    const [first, last] = [load("first"), load("last")];
    const failed = expect(first).rejects.toMatchObject({
      code: -32_600,
      message: expect.stringContaining("opened again"),
    });
    await expect.poll(() => openings.length).toBe(1);
    openings[0]?.();
    await failed;
    await expect.poll(() => openings.length).toBe(2);
    openings[1]?.();
    await last;
    expect(steps).toEqual(["opening first", "opened first", "opening last", "opened last"]);
  });
});

it("D.9 an editor that cannot ask denies the call, and says why", async () => {
  let resolveAnswer: (answer: ApprovalAnswer) => void = () => undefined;
  const answered = new Promise<ApprovalAnswer>((resolve) => {
    resolveAnswer = resolve;
  });
  const context = await start({
    runs: scriptedRuns(async function* (): AsyncGenerator<RunEvent> {
      yield { type: "approval-requested", request: APPROVAL_REQUEST };
      await answered;
      yield ended();
    }),
    approvals: {
      answer: async (_callId, answer) => {
        resolveAnswer(answer);
        return true;
      },
    },
  });
  await promptOnce(context);
  expect(await answered).toMatchObject({ kind: "deny", reason: expect.stringContaining("the editor could not ask") });
});

it("a person who starts it at a terminal gets an explanation; an editor does not", async () => {
  const hints: string[] = [];
  for (const stdinKind of ["terminal", "socket", "pipe-or-file"] as const) {
    const io = createMemoryIo({ stdinKind });
    expect(await run({ io, openEngine: () => Promise.reject(new Error("not needed")) }, OPTIONS)).toBe(0);
    hints.push(io.stderr.text());
  }
  expect(hints).toEqual([expect.stringContaining("tacklebox chat"), "", ""]);
});

describe("the end", () => {
  it.each([
    ["SIGTERM", 0],
    ["SIGINT", 130],
    ["SIGHUP", 0],
  ] as const)("%s stops the engine and exits with %i", async (signal, code) => {
    const stops: unknown[] = [];
    const context = await start({ host: { stop: async (drainMs) => void stops.push(drainMs) } });
    await promptOnce(context);
    context.io.raise(signal);
    expect([await context.exit, stops]).toEqual([code, [0]]);
  });

  it("of stdin is exit code 0, whether or not there was a session", async () => {
    const context = await start({});
    context.end();
    expect(await context.exit).toBe(0);
  });

  it("waits for everything to close, but not for ever", async () => {
    let stopped: () => void = () => undefined;
    const stopping = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const context = await start({ host: { stop: () => stopping } });
    await promptOnce(context);
    context.end();
    await expect.poll(() => context.io.exits).toEqual([0]);
    stopped();
  });
});
