import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { converse } from "../support/json-rpc.ts";
import { processesWithMarker, until } from "../support/processes.ts";
import { startProgram } from "../support/program.ts";
import { fixturePath, startHttpFixture } from "../support/servers.ts";
import { fixtureServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";
import { AGENT_PLACES, choosing, startEditor } from "./support/editor.ts";
import { startModel } from "./support/model.ts";
import { probe, stdio } from "./support/session-entries.ts";
import { startStalled } from "./support/stalled.ts";

const marker = () => `acp-leak-${crypto.randomUUID()}`;

describe.each(AGENT_PLACES)("S3.16 servers that misbehave, with the agent %s", (agent) => {
  it("one that accepts and stalls does not delay the session, and is reported as failed; cancelling does not wait for it", async () => {
    const stalled = await startStalled();
    const folder = await temporaryFolder();
    const { model, file } = await startModel();
    const editor = await startEditor({ args: ["--config", file], agent });
    const { sessionId } = await editor.open(folder, [
      { type: "http", name: "stalled", url: stalled.url, headers: [] },
      { type: "sse", name: "stalled too", url: stalled.url, headers: [] },
      stdio("absent", "unused"),
      { name: "enoent", command: "/no/such/command", args: [], env: [] },
    ]);
    await until(() => stalled.sockets() >= 2, { describe: "it to be asked" });
    model.says("hello", "hi");
    const waiting = editor.prompt(sessionId, "hello");
    await editor.waitFor(
      sessionId,
      ({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk",
      "waiting for servers",
    );
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect((await waiting).stopReason).toBe("cancelled");
    await until(
      async () => {
        await editor.prompt(sessionId, "/mcp");
        return editor.agentText(sessionId).includes("**enoent** (from the editor) error");
      },
      { describe: "the command that is not there" },
    );
    const agentText = editor.agentText(sessionId);
    expect(agentText).toContain('The command "/no/such/command" was not found');
    expect(agentText).toContain("**stalled** (from the editor) connecting");
    await editor.agent.request(methods.agent.session.close, { sessionId });
    await until(() => stalled.sockets() === 0, { describe: "no socket to be left" });
    expect(model.requests("hello")).toEqual([]);
  });

  it("one that starts late is waited for by the first prompt; one that dies in a call fails that call alone", async () => {
    const folder = await temporaryFolder();
    const gate = join(folder, "gate");
    const { model, file } = await startModel();
    const editor = await startEditor({ args: ["--config", file], agent, capabilities: { session: { notices: {} } } });
    const { sessionId } = await editor.open(folder, [
      probe("late", { GATE: gate, TOOL: "late" }),
      stdio("dying", fixturePath("fault-stdio")),
      { name: "enoent", command: "/no/such/command", args: [], env: [] },
    ]);
    model.callsTool("use the late one", "late");
    model.callsTool("use the dying one", "crash");
    editor.onPermission = async () => choosing("allow-once");
    const prompt = editor.prompt(sessionId, "use the late one");
    await editor.waitFor(
      sessionId,
      ({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk",
      "waiting for servers",
    );
    await writeConfig(folder, "gate", "open");
    expect((await prompt).stopReason).toBe("end_turn");
    expect((await editor.prompt(sessionId, "use the dying one")).stopReason).toBe("end_turn");
    const calls = editor.updates(sessionId).filter((update) => update.sessionUpdate === "tool_call_update");
    expect(calls.filter(({ status }) => status === "completed" || status === "failed")).toMatchObject([
      { status: "completed" },
      { status: "failed", rawOutput: { ending: "interrupted" } },
    ]);
    // A client that shows notices gets one, and nothing in the conversation.
    expect(editor.updates(sessionId)).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "notice",
        severity: "warning",
        title: "MCP server 'enoent' cannot be used",
      }),
    );
    expect(editor.agentText(sessionId)).not.toContain("enoent");
  });
});

describe("S3.17 D.16 stdout", () => {
  it("carries the protocol alone, whatever else writes to it; stderr is quiet", async () => {
    const folder = await temporaryFolder();
    const quiet = await startEditor();
    const { sessionId } = await quiet.open(folder, [probe("good")]);
    await quiet.prompt(sessionId, "/mcp");
    expect(await quiet.quit()).toMatchObject({ code: 0, stderr: "" });

    const noisy = await writeConfig(
      folder,
      "noisy.mjs",
      `process.on("SIGUSR2", () => { console.log("noise"); process.stdout.write("more noise\\n"); });
       process.on("SIGQUIT", () => { throw new Error("out of nothing"); });`,
    );
    const mark = marker();
    const editor = await startEditor({ env: { NODE_OPTIONS: `--import=${noisy}` } });
    const opened = await editor.open(folder, [stdio("banner", fixturePath("fault-stdio"), ["banner"], { MARK: mark })]);
    editor.program.kill("SIGUSR2");
    await editor.program.waitForStderr((line) => line === "more noise");
    await editor.prompt(opened.sessionId, "/mcp");
    editor.program.kill("SIGQUIT");
    const { stdout, stderr, code } = await editor.program.exit;
    expect(code).not.toBe(0);
    expect(stdout).not.toContain("noise");
    expect(stdout).not.toContain("out of nothing");
    expect(stderr).toContain("out of nothing");
    await until(() => processesWithMarker(mark).length === 0, { describe: "every server to be gone" });
  });

  it("answers what cannot be understood, and stays up", async () => {
    const program = await startProgram(["acp"]);
    const conversation = converse(program);
    expect(await conversation.request("session/new", { cwd: "/", mcpServers: [] })).toMatchObject({
      error: { code: -32_600 },
    });
    program.write("not json\n[]\n");
    await conversation.waitFor(({ error }) => JSON.stringify(error).includes("-32700"), "a parse error");
    expect(await conversation.request("initialize", { protocolVersion: 1 })).toMatchObject({
      result: { protocolVersion: 1 },
    });
    program.endStdin();
    expect(await program.exit).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("what prevents prompts from running is reported to the editor", () => {
  it("S4.18 a required server of the config that is unavailable", async () => {
    const dead = { command: "/no/such/command", required: true };
    const { file } = await startModel({ servers: { dead, alive: fixtureServer("empty") } });
    const editor = await startEditor({ args: ["--config", file] });
    const { sessionId } = await editor.open(await temporaryFolder());
    await expect(editor.prompt(sessionId, "hello")).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringMatching(
        /^Failed to connect to MCP server 'dead' at \/no\/such\/command\nError: [\s\S]+\n\nThe application cannot start without connecting to all configured MCP servers\.$/,
      ),
    });
    expect((await editor.quit()).code).toBe(0);
  });

  it.each([
    ["a config that is wrong", { servers: { a: {} } }, [], /a/],
    ["a GPT that is not there", {}, ["--gpt", "nobody"], /There is no GPT 'nobody'/],
  ])("%s, with exit code 1", async (_what, config, args, message) => {
    const file = await toolboxFile({ servers: {}, ...config });
    const editor = await startEditor({ args: ["--config", file, ...args] });
    const { sessionId } = await editor.open(await temporaryFolder());
    await expect(editor.prompt(sessionId, "hello")).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringMatching(message),
    });
    expect(await editor.ask("session/close", { sessionId })).toMatchObject({ result: {} });
    const { code, stderr } = await editor.quit();
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });
});

const NOWHERE = "appear nowhere: not on stdout, stderr, in the store or to the model";

it.each(AGENT_PLACES)(`S3.8 D.4 secrets of an editor's servers ${NOWHERE}; the agent is %s`, async (agent) => {
  const folder = await temporaryFolder();
  const data = join(folder, "data");
  const secrets = ["env", "header", "query"].map((name) => `canary-${name}-${crypto.randomUUID()}`);
  const [env = "", header = "", query = ""] = secrets;
  const server = await startHttpFixture("http-auth", { EXPECT_HEADER: `x-token: ${header}` });
  const { model, file } = await startModel();
  const editor = await startEditor({
    args: ["--config", file, "--log-level", "debug"],
    agent,
    env: { TACKLEBOX_DATA: data },
    capabilities: { elicitation: { form: {} }, session: { notices: {} } },
  });
  const { sessionId } = await editor.open(folder, [
    probe("env", { WHO: env, TOOL: "who", TOKEN: env }),
    { type: "http", name: "header", url: `${server.url}?key=${query}`, headers: [{ name: "X-Token", value: header }] },
    {
      type: "http",
      name: "refused",
      url: `${server.url}?key=${query}`,
      headers: [{ name: "X-Token", value: `${header}x` }],
    },
    { name: "enoent", command: "/no/such", args: [], env: { TOKEN: env } },
  ]);
  model.callsTool("who are you", "who");
  await editor.prompt(sessionId, "who are you");
  model.callsTool("ask me", "ask");
  await editor.prompt(sessionId, "ask me");
  for (const command of ["/mcp", "/tools", "/why who"]) await editor.prompt(sessionId, command);
  expect(editor.agentText(sessionId)).toContain("**header** (from the editor) connected");
  expect(editor.agentText(sessionId)).toContain("**who** (env) Connected with [redacted]");
  const { code, stdout, stderr } = await editor.quit();
  expect(code).toBe(0);
  const stored = (
    await Promise.all(
      ["tacklebox.db", "tacklebox.db-wal"].map((name) => readFile(join(data, name), "latin1").catch(() => "")),
    )
  ).join("");
  expect(stored.length).toBeGreaterThan(1_000);
  const sent = model.mock.getRequests().map(({ body }) => JSON.stringify(body));
  for (const secret of secrets)
    for (const [place, text] of Object.entries({ stdout, stderr, stored, model: sent.join("\n") }))
      expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
});
