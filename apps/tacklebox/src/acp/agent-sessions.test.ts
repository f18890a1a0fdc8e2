import { methods } from "@agentclientprotocol/sdk";
import { EngineError, type SessionMessage } from "@tacklebox/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { type EngineScript, serverView } from "../testing/scripted-engine.ts";
import { session, startEditor } from "./testing/start-editor.ts";

const start = (script: EngineScript) => startEditor(script, onTestFinished);

describe("the list of sessions", () => {
  const PAGES = new Map([
    [undefined, { items: [session("a", { folders: ["/project", "/more"] }), session("b")], next: "after b" }],
    ["after b", { items: [session("c", { folders: ["/other"] }), session("d", { folders: ["/project"] })] }],
  ]);

  function startListing() {
    const limits = new Set<number>();
    const context = start({
      sessions: {
        async list({ limit, after }) {
          limits.add(limit);
          const page = PAGES.get(after);
          if (page === undefined) throw new EngineError("invalid", "No such place");
          return page;
        },
      },
    });
    return { context, limits };
  }

  it("comes in pages, and leaves out sessions without a folder", async () => {
    const { context, limits } = startListing();
    const { agent } = await context;
    const first = await agent.request(methods.agent.session.list, {});
    expect(first).toMatchObject({
      sessions: [{ sessionId: "a", cwd: "/project", additionalDirectories: ["/more"], title: "t" }],
      nextCursor: "after b",
    });
    const second = await agent.request(methods.agent.session.list, { cursor: "after b" });
    expect(second.sessions.map(({ sessionId }) => sessionId)).toEqual(["c", "d"]);
    expect(second.nextCursor).toBeUndefined();
    expect([...limits]).toEqual([50]);
  });

  it("can be limited to one folder, and starts at the beginning with an empty cursor", async () => {
    const { agent } = await startListing().context;
    const list = async (cursor: string) =>
      (await agent.request(methods.agent.session.list, { cwd: "/project/", cursor })).sessions;
    expect(await list("")).toMatchObject([{ sessionId: "a" }]);
    expect(await list("after b")).toMatchObject([{ sessionId: "d" }]);
  });

  it("refuses a cursor that was not given out", async () => {
    const { agent } = await startListing().context;
    await expect(agent.request(methods.agent.session.list, { cursor: "50" })).rejects.toMatchObject({
      code: -32_602,
      message: "cursor is not valid",
    });
  });
});

describe("a saved session", () => {
  const params = { sessionId: "s", cwd: "/project", mcpServers: [] };

  it("is replayed in full, however many pages it has", async () => {
    const messageNumber = (number: number, text: string): SessionMessage => ({
      sessionId: "s",
      number,
      at: "2026-01-01T00:00:00.000Z",
      message: { role: "user", parts: [{ type: "text", text }] },
    });
    const { agent, updates } = await start({
      sessions: {
        get: async (id) => session(id),
        messages: async (_id, { after } = {}) =>
          after === undefined ? { items: [messageNumber(1, "one")], next: "1" } : { items: [messageNumber(2, "two")] },
      },
    });
    await agent.request(methods.agent.session.load, params);
    expect(updates.filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")).toMatchObject([
      { content: { text: "one" } },
      { content: { text: "two" } },
    ]);
  });

  it("S3.28 stays in the folder it was created in", async () => {
    const { agent } = await start({ sessions: { get: async (id) => session(id, { folders: ["/home"] }) } });
    await expect(agent.request(methods.agent.session.resume, params)).rejects.toMatchObject({
      code: -32_602,
      message: "Session 's' belongs to /home and cannot be opened in /project",
    });
  });

  it.each([
    ["not-found", -32_002, "There is no session 's'. It may have been closed or removed"],
    ["unavailable", -32_603, "as the engine says it"],
  ] as const)("that the engine does not open (%s) is error %i", async (code, rpcCode, message) => {
    const failure = { code, message: "as the engine says it" };
    const { agent } = await start({ sessions: { open: async () => ({ kind: "failed", failure }) } });
    await expect(agent.request(methods.agent.session.load, params)).rejects.toMatchObject({ code: rpcCode, message });
  });
});

it("S3.16 after a gap in the events commands are asked for at once, and failed servers with the next prompt", async () => {
  let isLost = false;
  const prompt = { name: "trip", arguments: [], raw: {} };
  const { agent, updates, emit } = await start({
    servers: {
      list: async () => [serverView(isLost ? { status: "error", cause: "gone" } : {})],
      offers: async () => [{ server: "files", resources: [], templates: [], prompts: isLost ? [prompt] : [] }],
    },
  });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] });
  await expect.poll(() => JSON.stringify(updates)).toContain("available_commands_update");
  isLost = true;
  emit({ type: "gap" });
  await expect.poll(() => JSON.stringify(updates)).toContain('"files:trip"');
  await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "/mcp" }] });
  expect(JSON.stringify(updates)).toContain("MCP server 'files' cannot be used");
});
