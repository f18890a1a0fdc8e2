import { writeFile } from "node:fs/promises";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { until } from "../support/processes.ts";
import { fixturePath } from "../support/servers.ts";
import { fixtureServer } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { choosing, type Editor, startEditor } from "./support/editor.ts";
import { startModel } from "./support/model.ts";
import { probe } from "./support/session-entries.ts";
import { startStalled } from "./support/stalled.ts";

describe("while servers of the config are missing", () => {
  it("S3.16 commands are answered; a prompt says which servers it waits for, and can be cancelled", async () => {
    const { url } = await startStalled();
    const { file } = await startModel({ servers: { slow: { transport: "http", url } } });
    const editor = await startEditor({ args: ["--config", file] });
    const { sessionId } = await editor.open(await temporaryFolder());
    await until(
      async () => {
        await editor.prompt(sessionId, "/mcp");
        return editor.agentText(sessionId).includes("**slow** (from the config) connecting");
      },
      { describe: "the server to be asked" },
    );
    const waiting = editor.prompt(sessionId, "hello");
    expect(
      await editor.waitFor(
        sessionId,
        ({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk",
        "waiting for servers",
      ),
    ).toMatchObject({ content: { text: "Waiting for MCP servers: slow\n" } });
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect((await waiting).stopReason).toBe("cancelled");
  });

  it("S4.18 prompts are refused without a required one; /mcp says so and /mcp reconnect ends it", async () => {
    const folder = await temporaryFolder();
    const later = `${folder}/later.mjs`;
    const { model, file } = await startModel({
      servers: { later: { command: process.execPath, args: [later], required: true, reconnect: "never" } },
    });
    const editor = await startEditor({ args: ["--config", file] });
    const { sessionId } = await editor.open(folder);
    model.says("hello", "hi");
    await expect(editor.prompt(sessionId, "hello")).rejects.toMatchObject({ code: -32_603 });
    await editor.prompt(sessionId, "/mcp");
    expect(editor.agentText(sessionId)).toContain("**later** (from the config) error");
    await writeFile(later, `await import(${JSON.stringify(fixturePath("probe"))});`);
    await editor.prompt(sessionId, "/mcp reconnect later");
    expect(editor.agentText(sessionId)).toContain("**later** (from the config) connected, 2 tools");
    expect((await editor.prompt(sessionId, "hello")).stopReason).toBe("end_turn");
  });
});

describe("while a prompt is running", () => {
  /** Opens a session whose prompt waits for the person's permission. */
  async function openAskingSession(editor: Editor, folder: string, prompt: string) {
    const { sessionId } = await editor.open(folder, [probe("mine", { TOOL: "mine" })]);
    const before = editor.permissions.length;
    const answer = editor.prompt(sessionId, prompt);
    await until(() => editor.permissions.length > before, { describe: "the question" });
    return { sessionId, answer };
  }

  it("C3.7 another approval mode counts from the next call on", async () => {
    const { model, file } = await startModel();
    const editor = await startEditor({ args: ["--config", file] });
    const call = (id: string) => ({ toolCalls: [{ id, name: "mine", arguments: "{}" }] });
    model.mock.on({ userMessage: "twice", turnIndex: 0 }, call("one"));
    model.mock.on({ userMessage: "twice", turnIndex: 1 }, call("two"));
    model.mock.on({ userMessage: "twice", turnIndex: 2 }, { content: "done" });
    let answerNow: () => void = () => undefined;
    editor.onPermission = () =>
      new Promise((resolve) => {
        answerNow = () => resolve(choosing("allow-once"));
      });
    const { sessionId, answer } = await openAskingSession(editor, await temporaryFolder(), "twice");
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "auto" });
    answerNow();
    expect((await answer).stopReason).toBe("end_turn");
    expect(editor.permissions).toHaveLength(1);
    expect(
      editor.updates(sessionId).filter((update) => "status" in update && update.status === "completed"),
    ).toHaveLength(2);
  });

  it.each(["close", "delete", "load", "resume"])("session/%s cancels it and withdraws its question", async (way) => {
    const folder = await temporaryFolder();
    const { model, file } = await startModel();
    const editor = await startEditor({ args: ["--config", file] });
    let isWithdrawn = false;
    editor.onPermission = (_request, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          isWithdrawn = true;
          resolve({ outcome: { outcome: "cancelled" } });
        });
      });
    model.callsTool("go on", "mine");
    const { sessionId, answer } = await openAskingSession(editor, folder, "go on");
    // Some editors send the folder with a trailing slash.
    const { error } = await editor.ask(`session/${way}`, { sessionId, cwd: `${folder}/`, mcpServers: [] });
    expect(error).toBeUndefined();
    if (way === "load" || way === "resume") {
      model.says("what now", "Nothing.");
      expect((await editor.prompt(sessionId, "what now")).stopReason).toBe("end_turn");
    }
    expect((await answer).stopReason).toBe("cancelled");
    await until(() => isWithdrawn, { describe: "the question to be withdrawn" });
    expect(await editor.quit()).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a question of a server", () => {
  const elicitation = { capabilities: { elicitation: { form: {} } } };

  it("is withdrawn when the call it belongs to is cancelled", async () => {
    const { model, file } = await startModel();
    const editor = await startEditor({ args: ["--config", file], ...elicitation });
    const { sessionId } = await editor.open(await temporaryFolder(), [probe("asker", { TOOL: "unused" })]);
    editor.onElicitation = () => new Promise(() => undefined);
    model.callsTool("ask me", "ask");
    const answer = editor.prompt(sessionId, "ask me");
    const asked = await until(() => editor.lines().find(({ method }) => method === "elicitation/create"), {
      describe: "the question",
    });
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect((await answer).stopReason).toBe("cancelled");
    await until(
      () =>
        editor.lines().some(({ method, params }) => {
          const { requestId } = (params ?? {}) as { requestId?: unknown };
          return method === "$/cancel_request" && requestId === asked.id;
        }),
      { describe: "the question to be withdrawn" },
    );
  });

  it("S3.25 is shown to nobody when two sessions call the server and nothing tells whose question it is", async () => {
    const { model, file } = await startModel({ servers: { shared: fixtureServer("probe") } });
    const editor = await startEditor({ args: ["--config", file], ...elicitation });
    const folder = await temporaryFolder();
    const [one, other] = [await editor.open(folder), await editor.open(folder)];
    const asked: unknown[] = [];
    let answerOne: () => void = () => undefined;
    editor.onElicitation = (request) => {
      asked.push(request);
      return new Promise((resolve) => {
        answerOne = () => resolve({ action: "accept", content: { name: "Ada" } });
      });
    };
    model.callsTool("ask in one", "ask");
    model.callsTool("ask in other", "ask");
    const first = editor.prompt(one.sessionId, "ask in one");
    await until(() => asked.length === 1, { describe: "the first question" });
    await editor.prompt(other.sessionId, "ask in other");
    answerOne();
    await first;
    expect(asked).toMatchObject([{ sessionId: one.sessionId }]);
    const results = (sessionId: string) => JSON.stringify(editor.updates(sessionId));
    expect(results(one.sessionId)).toContain("Ada");
    expect(results(other.sessionId)).toContain("decline");
  });
});

it("S3.5 a session that is loaded twice at once has the servers that were sent last", async () => {
  const folder = await temporaryFolder();
  const { model, file } = await startModel();
  const editor = await startEditor({ args: ["--config", file] });
  const { sessionId } = await editor.open(folder);
  model.says("remember", "I will.");
  await editor.prompt(sessionId, "remember");
  await editor.agent.request(methods.agent.session.close, { sessionId });
  const load = (name: string) =>
    editor.ask("session/load", { sessionId, cwd: folder, mcpServers: [probe(name, { TOOL: name })] });
  const [, second] = await Promise.all([load("first"), load("second")]);
  expect(second.error).toBeUndefined();
  model.callsTool("use it", "second");
  await editor.prompt(sessionId, "use it");
  await editor.prompt(sessionId, "/mcp");
  expect(editor.agentText(sessionId)).toContain("**second** (from the editor) connected");
  expect(editor.agentText(sessionId)).not.toContain("**first**");
});
