import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../support/processes.ts";
import { everythingPath, fixturePath } from "../support/servers.ts";
import { fixtureServer } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { choosing, type Editor, startEditor } from "./support/editor.ts";
import { startModel, type TestModel } from "./support/model.ts";
import { probe, stdio } from "./support/session-entries.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let editor: Editor;
let model: TestModel;
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  const started = await startModel({
    servers: { tools: fixtureServer("collide", { NAME: "tools", TOOLS: "a,b" }), faults: fixtureServer("fault-stdio") },
    gpts: { helper: { instructions: "Help.", approval: "auto" } },
  });
  model = started.model;
  editor = await startEditor({ args: ["--config", started.file], capabilities: { elicitation: { form: {} } } });
});

function kinds(sessionId: string): readonly string[] {
  return editor.updates(sessionId).map(({ sessionUpdate }) => sessionUpdate);
}

function ofKind<Kind extends SessionUpdate["sessionUpdate"]>(sessionId: string, kind: Kind) {
  return editor
    .updates(sessionId)
    .filter((update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind);
}

describe("the agent", () => {
  it("C3.6 T3.6 declares version 1 whatever is requested, http and sse servers, and what the tests below use", async () => {
    const { result } = await editor.ask("initialize", {
      protocolVersion: 2,
      clientCapabilities: { elicitation: { form: {} } },
    });
    expect(result).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "tacklebox" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      },
    });
  });

  it.each([
    ["session/new", { cwd: "relative", mcpServers: [] }, -32_602],
    ["session/new", null, -32_602],
    ["session/prompt", { sessionId: "nobody", prompt: [] }, -32_002],
    ["session/load", { sessionId: "nobody", cwd: "/", mcpServers: [] }, -32_002],
    ["session/close", { sessionId: "nobody" }, -32_002],
    ["session/delete", { sessionId: "nobody" }, -32_002],
    ["session/list", { cursor: "soon" }, -32_602],
    ["session/fork", {}, -32_601],
  ])("refuses %s %j", async (method, params, code) => {
    expect(await editor.ask(method, params)).toMatchObject({ error: { code, message: expect.any(String) } });
  });
});

describe("a session", () => {
  it("S3.20 T3.13 is answered before any update about it is sent, with an unguessable id", async () => {
    const { sessionId, modes, configOptions } = await editor.open(folder);
    expect(sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(modes?.currentModeId).toBe("always-ask");
    expect(configOptions?.map(({ id }) => id)).toEqual(["mode", "model", "gpt"]);
    await editor.waitFor(
      sessionId,
      ({ sessionUpdate }) => sessionUpdate === "available_commands_update",
      "its commands",
    );
    const about = editor.lines().filter((line) => JSON.stringify(line).includes(sessionId));
    expect(about[0]).toMatchObject({ result: { sessionId } });
  });

  it("runs a prompt with text, links, files and images, and reports title and usage", async () => {
    const { sessionId } = await editor.open(folder);
    model.mock.on(
      { userMessage: /look at these/ },
      { content: "I see.", usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 } },
    );
    const answer = await editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "look at these" },
        { type: "resource_link", uri: "file:///notes.txt", name: "notes" },
        { type: "resource", resource: { uri: "file:///plan.md", text: "# the plan" } },
        { type: "image", data: PIXEL, mimeType: "image/png" },
      ],
    });
    expect(answer.stopReason).toBe("end_turn");
    const [sent = ""] = model.requests("look at these");
    expect(sent).toContain("[notes](file:///notes.txt)");
    expect(sent).toContain("# the plan");
    expect(sent).toContain(PIXEL);
    expect(ofKind(sessionId, "session_info_update")).toMatchObject([
      { title: expect.stringContaining("look at these") },
    ]);
    expect(ofKind(sessionId, "usage_update")).toMatchObject([{ used: 14, size: expect.any(Number) }]);
  });

  it("has settings: the approval mode, the model and the GPT", async () => {
    const { sessionId } = await editor.open(folder);
    const set = (configId: string, value: string) =>
      editor.agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value });
    const { configOptions } = await set("gpt", "helper");
    expect(configOptions).toMatchObject([
      { id: "mode", currentValue: "auto" },
      { id: "model" },
      { id: "gpt", currentValue: "helper" },
    ]);
    await editor.waitFor(
      sessionId,
      (update) => update.sessionUpdate === "current_mode_update",
      "the GPT's approval mode",
    );
    expect((await set("model", "demo")).configOptions).toMatchObject([{}, { currentValue: "demo" }, {}]);
    expect(
      await editor.ask("session/set_config_option", { sessionId, configId: "model", value: "nobody" }),
    ).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining("Available: default, m") },
    });
    expect(await editor.ask("session/set_model", { sessionId, modelId: "m" })).toMatchObject({ result: {} });
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "always-ask" });
    await editor.waitFor(
      sessionId,
      (update) =>
        update.sessionUpdate === "config_option_update" &&
        update.configOptions.some((option) => option.id === "mode" && option.currentValue === "always-ask"),
      "the mode as an option",
    );
    expect(await editor.ask("session/set_mode", { sessionId, modeId: "yolo" })).toMatchObject({
      error: { code: -32_602 },
    });
  });
});

describe("C3.7 D.9 approvals", () => {
  it("ask with tool, server and arguments, offer all four kinds, and remember for the session", async () => {
    const { sessionId } = await editor.open(folder);
    const asked = editor.permissions.length;
    editor.onPermission = async () => choosing("allow-session");
    model.callsTool("call it twice", "a", { x: 1 });
    await editor.prompt(sessionId, "call it twice");
    expect(editor.permissions.slice(asked)).toMatchObject([
      { sessionId, toolCall: { name: "a", title: "a (tools)", rawInput: { x: 1 }, status: "pending" } },
    ]);
    expect(editor.permissions[asked]?.options.map(({ kind }) => kind).sort()).toEqual([
      "allow_always",
      "allow_always",
      "allow_once",
      "reject_always",
      "reject_once",
    ]);
    expect(ofKind(sessionId, "tool_call")).toMatchObject([{ status: "pending", name: "a" }]);
    expect(ofKind(sessionId, "tool_call_update").map(({ status }) => status)).toEqual(["in_progress", "completed"]);
    model.callsTool("and once more", "a");
    await editor.prompt(sessionId, "and once more");
    expect(editor.permissions).toHaveLength(asked + 1);
  });

  it("that are rejected fail the call, and the model is informed", async () => {
    const { sessionId } = await editor.open(folder);
    editor.onPermission = async () => choosing("reject-once");
    model.callsTool("try b", "b");
    expect((await editor.prompt(sessionId, "try b")).stopReason).toBe("end_turn");
    expect(ofKind(sessionId, "tool_call_update")).toMatchObject([
      {
        status: "failed",
        rawOutput: { ending: "denied" },
        content: [{ content: { text: expect.stringContaining("denied") } }],
      },
    ]);
    expect(model.requests("try b").at(-1)).toContain("Tool call denied");
  });

  it("are not asked in mode auto", async () => {
    const { sessionId } = await editor.open(folder);
    const asked = editor.permissions.length;
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "auto" });
    model.callsTool("just do it", "b");
    await editor.prompt(sessionId, "just do it");
    expect(editor.permissions).toHaveLength(asked);
    expect(ofKind(sessionId, "tool_call_update").at(-1)).toMatchObject({ status: "completed" });
  });
});

describe("C3.7 cancelling", () => {
  it("ends a prompt that waits for a permission, and withdraws the question", async () => {
    const { sessionId } = await editor.open(folder);
    let withdrawn = false;
    editor.onPermission = (_request, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          withdrawn = true;
          resolve({ outcome: { outcome: "cancelled" } });
        });
      });
    model.callsTool("ask me first", "a");
    const asked = editor.permissions.length;
    const prompt = editor.prompt(sessionId, "ask me first");
    await until(() => editor.permissions.length > asked, { describe: "the question" });
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect((await prompt).stopReason).toBe("cancelled");
    await until(() => withdrawn, { describe: "the question to be withdrawn" });
    expect(ofKind(sessionId, "tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  });

  it("ends a prompt whose tool does not answer, by session/cancel and by $/cancel_request", async () => {
    const { sessionId } = await editor.open(folder);
    editor.onPermission = async () => choosing("allow-once");
    model.callsTool("hold on", "hold");
    const running = () => ofKind(sessionId, "tool_call_update").filter(({ status }) => status === "in_progress").length;
    const first = editor.prompt(sessionId, "hold on");
    await until(() => running() === 1, { describe: "the call" });
    expect(await editor.ask("session/prompt", { sessionId, prompt: [] })).toMatchObject({ error: { code: -32_600 } });
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect((await first).stopReason).toBe("cancelled");

    const controller = new AbortController();
    const second = editor.agent.request(
      methods.agent.session.prompt,
      { sessionId, prompt: [{ type: "text", text: "hold on" }] },
      { cancellationSignal: controller.signal },
    );
    await until(() => running() === 2, { describe: "the second call" });
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: -32_800 });
  });
});

describe("commands", () => {
  it("are our own and every prompt of the servers", async () => {
    const { sessionId } = await editor.open(folder, [stdio("everything", everythingPath)]);
    await editor.waitFor(
      sessionId,
      (update) =>
        update.sessionUpdate === "available_commands_update" &&
        update.availableCommands.some(({ name }) => name === "everything:args-prompt"),
      "the prompts of a server",
    );
    model.says("weather", "Rain.");
    await editor.prompt(sessionId, "/everything:args-prompt Oslo");
    expect(model.requests("weather").at(-1)).toContain("Oslo");
    await editor.prompt(sessionId, "/everything:args-prompt");
    expect(editor.agentText(sessionId)).toContain("also needs: city");
    await editor.prompt(sessionId, "/why a");
    expect(editor.agentText(sessionId)).toContain("**a** of tools can be called");
    await editor.prompt(sessionId, "/tools echo");
    expect(editor.agentText(sessionId)).toContain("**echo** (everything)");
    model.says("/unknown words", "That is no command.");
    await editor.prompt(sessionId, "/unknown words");
    expect(editor.agentText(sessionId)).toContain("That is no command.");
  });

  it("S3.16 reconnect a server that failed", async () => {
    const program = join(folder, "later.mjs");
    const { sessionId } = await editor.open(folder, [stdio("later", program)]);
    model.says("anybody there", "Yes.");
    await editor.prompt(sessionId, "anybody there");
    expect(editor.agentText(sessionId)).toContain("**MCP server 'later' cannot be used.**");
    expect(model.requests("anybody there").at(-1)).toContain("not connected: 'later'");
    await writeFile(program, `await import(${JSON.stringify(fixturePath("probe"))});`);
    await editor.prompt(sessionId, "/mcp reconnect later");
    expect(editor.agentText(sessionId)).toContain("**later** (from the editor) connected, 2 tools");
  });
});

it("a server's question reaches the person, and the answer reaches the server", async () => {
  const { sessionId } = await editor.open(folder, [probe("asker", { TOOL: "unused" })]);
  editor.onPermission = async () => choosing("allow-once");
  let asked: unknown;
  editor.onElicitation = async (request) => {
    asked = request;
    return { action: "accept", content: { name: "Ada" } };
  };
  model.callsTool("ask for a name", "ask");
  await editor.prompt(sessionId, "ask for a name");
  expect(asked).toMatchObject({
    sessionId,
    toolCallId: expect.any(String),
    mode: "form",
    message: "asker: What is your name?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  });
  expect(kinds(sessionId)).toContain("tool_call");
  expect(JSON.stringify(ofKind(sessionId, "tool_call_update").at(-1))).toContain("Ada");
});
