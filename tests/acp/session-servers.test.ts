import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { methods } from "@agentclientprotocol/sdk";
import { beforeAll, describe, expect, it } from "vitest";
import { processesWithMarker, until } from "../support/processes.ts";
import { everythingPath, filesystemPath, fixturePath, gitPath, startEverything } from "../support/servers.ts";
import { fixtureServer } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { AGENT_PLACES, type Editor, startEditor } from "./support/editor.ts";
import { startModel, type TestModel } from "./support/model.ts";
import { probe, stdio } from "./support/session-entries.ts";

describe.each(AGENT_PLACES)("MCP servers that the editor brings (S3), with the agent %s", (agent) => {
  let editor: Editor;
  let model: TestModel;
  let folder: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const started = await startModel({
      servers: {
        shared: fixtureServer("probe", { WHO: "agent" }),
        other: fixtureServer("collide", { NAME: "other", TOOLS: "o" }),
      },
    });
    model = started.model;
    editor = await startEditor({ args: ["--config", started.file], agent });
  });

  async function promptIn(sessionId: string, text: string): Promise<string> {
    const { stopReason } = await editor.prompt(sessionId, text);
    expect(stopReason).toBe("end_turn");
    const ended = editor.updates(sessionId).flatMap((update) => {
      if (update.sessionUpdate !== "tool_call_update" || update.status !== "completed") return [];
      return (
        update.content?.flatMap((part) =>
          part.type === "content" && part.content.type === "text" ? part.content.text : [],
        ) ?? []
      );
    });
    return ended.at(-1) ?? "";
  }

  it("S3.1 S3.2 S3.4 S3.6 S3.7 S3.13 S3.19 S3.21 S3.23 are used over stdio, HTTP and SSE, beside those of the config", async () => {
    await writeFile(join(folder, "notes.txt"), "the answer is 42");
    const [http, sse] = await Promise.all([startEverything("streamableHttp"), startEverything("sse")]);
    const { sessionId } = await editor.open(folder, [
      stdio("files", filesystemPath, [folder]),
      stdio("everything", everythingPath),
      stdio("git", gitPath, [], { MCP_TRANSPORT_TYPE: "stdio", MCP_LOG_LEVEL: "error", HOME: folder }),
      { type: "http", name: "over http", url: http.url, headers: [] },
      { type: "sse", name: "over sse", url: sse.url, headers: [] },
    ]);
    model.callsTool("read the notes", "read_text_file", { path: join(folder, "notes.txt") });
    expect(await promptIn(sessionId, "read the notes")).toBe("the answer is 42");
    // The definitions come first: the model must not see them before the person.
    expect(editor.agentText(sessionId)).toMatch(
      /^```\nNew from 'shared': 2 tools\n.*New from 'files'.*```\n*done: read the notes$/s,
    );
    await editor.prompt(sessionId, "/mcp");
    for (const name of ["files", "everything", "git", "over http", "over sse"])
      expect(editor.agentText(sessionId)).toMatch(
        new RegExp(`\\*\\*${name}\\*\\* \\(from the editor\\) connected, \\d+ tools`),
      );
    expect(editor.agentText(sessionId)).toContain("**shared** (from the config) connected, 2 tools");
    expect(editor.updates(sessionId)).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "tool_call",
        name: "read_text_file",
        kind: "read",
        locations: [{ path: join(folder, "notes.txt") }],
        rawInput: { path: join(folder, "notes.txt") },
      }),
    );
    await promisify(execFile)("git", ["init", "--initial-branch=trunk", folder]);
    model.callsTool("what does git say", "git_status", { path: folder });
    expect(JSON.parse(await promptIn(sessionId, "what does git say"))).toMatchObject({
      currentBranch: "trunk",
      untrackedFiles: expect.arrayContaining(["notes.txt"]),
    });
    await editor.agent.request(methods.agent.session.close, { sessionId });
  });

  it("S3.10 S3.18 S3.27 T3.3 T3.8 replace the config's server of the same name whole, for this session alone", async () => {
    const own = await editor.open(folder, [probe("shared", { WHO: "editor" })]);
    const plain = await editor.open(folder);
    model.callsTool("who is shared", "where");
    expect(await promptIn(own.sessionId, "who is shared")).toContain('"who":"editor"');
    expect(await promptIn(plain.sessionId, "who is shared")).toContain('"who":"agent"');
    const warning = await editor.program.waitForStderr((line) => line.includes("shared"));
    expect(JSON.parse(warning)).toMatchObject({ level: "warn", msg: expect.stringContaining("'shared'") });
    for (const { sessionId } of [own, plain]) await editor.agent.request(methods.agent.session.close, { sessionId });
  });

  it("S3.25 T3.4 are isolated: two sessions with one name have two servers, each with its own credentials", async () => {
    const a = await editor.open(folder, [probe("mine", { WHO: "ada", TOOL: "mine_a" })]);
    const b = await editor.open(folder, [probe("mine", { WHO: "bob", TOOL: "mine_b" })]);
    model.callsTool("call a", "mine_a");
    model.callsTool("call b", "mine_b");
    expect(await promptIn(a.sessionId, "call a")).toContain('"who":"ada"');
    expect(await promptIn(b.sessionId, "call b")).toContain('"who":"bob"');
    expect(model.toolsOffered("call a").flat()).not.toContain("mine_b");
    expect(model.toolsOffered("call b").flat()).not.toContain("mine_a");
    await editor.prompt(a.sessionId, "/why mine_b");
    expect(editor.agentText(a.sessionId)).toContain("No server of this session has a tool 'mine_b'");
    for (const { sessionId } of [a, b]) await editor.agent.request(methods.agent.session.close, { sessionId });
  });

  it("S3.9 S3.11 S3.12 S3.26 S3.28 have all of their tools in every request, unless their entry says otherwise", async () => {
    const { sessionId } = await editor.open(folder, [
      stdio("files", filesystemPath, [folder]),
      {
        ...probe("aside", { TOOL: "aside" }),
        _meta: { tacklebox: { toolInclude: { serverDefault: "manual", tools: { ask: "always" } } } },
      },
    ]);
    model.says("just talk", "all right");
    await editor.prompt(sessionId, "just talk");
    const [offered = []] = model.toolsOffered("just talk");
    expect(offered.filter((name) => /file|director/.test(name)).length).toBeGreaterThan(8);
    expect(offered).toContain("ask");
    expect(offered).not.toContain("aside");
    await editor.agent.request(methods.agent.session.close, { sessionId });
  });

  it("S3.28 C3.6 start in the session's folder and get its folders as roots", async () => {
    const more = await temporaryFolder();
    const { result } = await editor.ask("session/new", {
      cwd: folder,
      additionalDirectories: [more],
      mcpServers: [probe("here", { TOOL: "here" })],
    });
    const { sessionId } = result as { sessionId: string };
    model.callsTool("where are you", "here");
    const where = JSON.parse(await promptIn(sessionId, "where are you"));
    expect(where).toMatchObject({
      cwd: folder,
      roots: { roots: [{ uri: `file://${folder}` }, { uri: `file://${more}` }] },
    });
    await editor.agent.request(methods.agent.session.close, { sessionId });
  });

  it("S3.14 S3.20 may come as maps, without lists, with a bare command; what cannot be used is one failed server", async () => {
    const { sessionId } = await editor.open(folder, [
      { name: "bare", type: "stdio", command: "node", args: [fixturePath("probe")], env: { TOOL: "bare" } },
      { name: "bad", type: "carrier-pigeon" },
      "nonsense",
    ]);
    model.callsTool("use the bare one", "bare");
    expect(await promptIn(sessionId, "use the bare one")).toContain(folder);
    expect(editor.agentText(sessionId)).toContain("Unknown transport: carrier-pigeon");
    expect(editor.agentText(sessionId)).toContain("mcpServers[2]");
    expect(model.requests("use the bare one")[0]).toContain("not connected: 'bad', 'mcpServers[2]'");
    await editor.agent.request(methods.agent.session.close, { sessionId });
  });

  it("S3.5 S3.15 T3.10 are gone when the session is closed, and the session with them", async () => {
    // Found by a marker, not counted as children: servers of sessions that were just closed may still be among those.
    const mark = `acp-servers-${crypto.randomUUID()}`;
    const { sessionId } = await editor.open(folder, [probe("one", { MARK: mark }), probe("two", { MARK: mark })]);
    await until(() => processesWithMarker(mark).length === 2, { describe: "two servers" });
    await editor.agent.request(methods.agent.session.close, { sessionId });
    await until(() => processesWithMarker(mark).length === 0, { describe: "no server of the session" });
    await expect(editor.prompt(sessionId, "still there?")).rejects.toMatchObject({ code: -32002, data: { sessionId } });
  });

  it("S3.3 C3.6 are brought anew to a session that is listed, loaded with its history, resumed without it, and deleted", async () => {
    const { sessionId } = await editor.open(folder, [probe("mine", { TOOL: "mine" })]);
    model.callsTool("remember this", "mine");
    await editor.prompt(sessionId, "remember this");
    await editor.agent.request(methods.agent.session.close, { sessionId });
    const listed = await editor.agent.request(methods.agent.session.list, { cwd: folder });
    expect(listed.sessions).toContainEqual(
      expect.objectContaining({ sessionId, cwd: folder, title: expect.stringContaining("remember") }),
    );
    const before = editor.updates(sessionId).length;
    await editor.agent.request(methods.agent.session.load, { sessionId, cwd: folder, mcpServers: [] });
    const replayed = editor.updates(sessionId).slice(before);
    expect(replayed.slice(0, 3)).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "remember this" } },
      { sessionUpdate: "tool_call", name: "mine", status: "completed" },
      { sessionUpdate: "agent_message_chunk", content: { text: "done: remember this" } },
    ]);
    const loaded = editor.updates(sessionId).length;
    await editor.agent.request(methods.agent.session.resume, {
      sessionId,
      cwd: folder,
      mcpServers: [probe("back", { TOOL: "back" })],
    });
    model.callsTool("are you back", "back");
    await editor.prompt(sessionId, "are you back");
    await editor.prompt(sessionId, "/tools back");
    expect(editor.updates(sessionId).slice(loaded)).not.toContainEqual(
      expect.objectContaining({ sessionUpdate: "user_message_chunk" }),
    );
    expect(editor.agentText(sessionId)).toContain("**back** (back)");
    expect(await editor.ask("session/load", { sessionId, cwd: "/elsewhere", mcpServers: [] })).toMatchObject({
      error: { code: -32_602 },
    });
    await editor.agent.request(methods.agent.session.delete, { sessionId });
    const left = await editor.agent.request(methods.agent.session.list, {});
    expect(left.sessions.map((session) => session.sessionId)).not.toContain(sessionId);
  });
});
