import { describe, expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import { loadConversation } from "../client/load-conversation.ts";
import { ModelError } from "../domain/model.ts";
import { createKnownSecrets } from "../secrets/known-secrets.ts";
import {
  allow,
  asksFor,
  createScriptedApprover,
  createTestEngine,
  endOfRun,
  says,
  sessionOfRun,
  startTestRuns,
  TEST_GPT,
  testDefinition,
  waitUntil,
} from "../testing/index.ts";

const hello = { id: "m1", tool: "echo", arguments: { message: "hello" } };

describe("sessions", () => {
  it("continue where they were, with their GPT and model", async () => {
    const { run, model, engine } = await startTestRuns([says("Hello, Ada."), says("Ada.")]);
    const sessionId = sessionOfRun(await run("I am Ada\nand more"));
    await run("Who am I?", { sessionId });
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect((await engine.sessions.list({ limit: 9 })).items).toMatchObject([
      { id: sessionId, title: "I am Ada", model: "scripted" },
    ]);
  });

  it("a call that a crash interrupted is answered when the session is opened again", async () => {
    const { run, model, store } = await startTestRuns([says("ok"), says("I see.")]);
    const sessionId = sessionOfRun(await run("x"));
    const call = { type: "call", ...hello, callId: "lost-1" } as const;
    await store.sessions.append([{ sessionId, number: 3, at: "", message: { role: "assistant", parts: [call] } }]);
    await run("and?", { sessionId });
    expect(model.requests[1]?.messages.slice(2)).toMatchObject([
      { role: "assistant" },
      {
        role: "tool",
        results: [{ id: "m1", isError: true, text: "MCP error: The call was interrupted before it was made." }],
      },
      { role: "user" },
    ]);
  });

  it("run one prompt at a time", async () => {
    const { run, engine } = await startTestRuns([says("ok"), () => new Promise(() => undefined)]);
    const sessionId = sessionOfRun(await run("x"));
    const abort = new AbortController();
    const first = run("y", { sessionId }, { signal: abort.signal });
    await waitUntil(async () => (await loadConversation(engine, sessionId))?.messages.length === 3);
    expect(endOfRun(await run("z", { sessionId }))).toMatchObject({ reason: "not-started" });
    abort.abort();
    await first;
  });

  it("run one prompt at a time, starting with the first one", async () => {
    const { run, engine } = await startTestRuns([() => new Promise(() => undefined)]);
    const abort = new AbortController();
    const first = run("x", {}, { signal: abort.signal });
    await waitUntil(async () => (await engine.sessions.list({ limit: 1 })).items.length === 1);
    const [session] = (await engine.sessions.list({ limit: 1 })).items;
    expect(endOfRun(await run("y", { sessionId: session?.id ?? "" }))).toMatchObject({ reason: "not-started" });
    abort.abort();
    expect(endOfRun(await first)).toEqual({ reason: "cancelled" });
  });

  it("S1.48 store no known secret, neither one a person typed nor one a model wrote", async () => {
    const knownSecrets = createKnownSecrets();
    knownSecrets.add(["hunter2-hunter2"]);
    const turns = [says("It is hunter2", "-hunter2."), says("ok")];
    const { run, model, engine } = await startTestRuns(turns, { ports: { knownSecrets } });
    const sessionId = sessionOfRun(await run("My password is hunter2-hunter2"));
    // Within this run, the model gets what the person typed.
    expect(JSON.stringify(model.requests[0])).toContain("hunter2-hunter2");
    const kept = JSON.stringify([
      await loadConversation(engine, sessionId),
      (await engine.sessions.list({ limit: 9 })).items,
    ]);
    expect(kept).not.toContain("hunter2");
    expect(kept).toContain("It is [redacted].");
  });

  it("S1.48 a secret that a server writes into its tools' definitions reaches neither models nor people nor the store", async () => {
    const secret = "canary-of-a-server-1f3a";
    const launch = { transport: "stdio", command: "s", args: [], env: { API_TOKEN: secret } } as const;
    const always = (request: Parameters<typeof allow>[0]) => ({ ...allow(request), lasting: "always" as const });
    const test = createTestEngine({
      servers: [testDefinition("s", { launch })],
      approver: createScriptedApprover(always),
    });
    const parameters = { type: "object", properties: { key: { type: "string", default: secret } } };
    test.connector.server("s").tools = [{ name: "echo", description: `Uses ${secret}`, inputSchema: parameters }];
    const seen: unknown[] = [];
    listen(test.engine, (event) => seen.push(event));
    await test.host.start();
    const outcome = await test.engine.calls.make(
      { tool: "echo", arguments: {} },
      { attended: true, approvalMode: "always-ask" },
    );
    expect(outcome.status).toBe("success");
    const tools = await test.engine.tools.list();
    expect(tools.map(({ tool }) => tool.description)).toEqual(["Uses [redacted]"]);
    await waitUntil(() => JSON.stringify(seen).includes('"status":"success"'));
    const everything = JSON.stringify([tools, seen, await test.engine.grants.list(), test.approver.asked]);
    expect(everything).not.toContain(secret);
    await test.host.stop(0);
  });

  it("a prompt whose session cannot be saved ends with that reason, and no model is asked", async () => {
    const { run, store, model } = await startTestRuns([says("ok"), says("never")]);
    const sessionId = sessionOfRun(await run("x"));
    const taken = { sessionId, number: 3, at: "", message: { role: "user", parts: [] } } as const;
    const loaded = store.sessions.messages;
    // Another process writes to the session in between.
    store.sessions.messages = async (id: string) => {
      const before = await loaded(id);
      await store.sessions.append([taken]);
      return before;
    };
    expect(endOfRun(await run("y", { sessionId }))).toMatchObject({
      reason: "session-not-kept",
      message: expect.stringMatching(/^The conversation could not be saved, so the run ended here\. /),
    });
    expect(model.requests).toHaveLength(1);
  });

  it("are removed with their messages", async () => {
    const { run, engine } = await startTestRuns([says("ok")]);
    const sessionId = sessionOfRun(await run("x"));
    expect(await engine.sessions.remove(sessionId)).toBe(true);
    expect(await loadConversation(engine, sessionId)).toBeUndefined();
    expect(await engine.sessions.remove(sessionId)).toBe(false);
  });
});

describe("what exceeds the model's window", () => {
  it("a long result is cut for the model with a mark, stored whole in the record, and can be read on", async () => {
    const { run, model, connector, engine } = await startTestRuns([
      asksFor(hello),
      (request) => {
        const last = request.messages.at(-1);
        const callId = last?.role === "tool" ? last.results[0]?.callId : undefined;
        return asksFor({ id: "m2", tool: "read_result", arguments: { id: callId ?? "", offset: 30_000 } });
      },
      asksFor({ id: "m3", tool: "read_result", arguments: { id: "of another session" } }),
      says("ok"),
    ]);
    const long = `${"x".repeat(30_000)}THE END`;
    connector.server("s").answer = () => ({ content: [{ type: "text", text: long }], isError: false });
    await run("read it");
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["echo"]);
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(["echo", "read_result"]);
    const [cut, rest, foreign] = model.requests.slice(1).map(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool" ? last.results[0] : undefined;
    });
    const [record] = (await engine.calls.list({ limit: 1 })).items;
    expect(cut?.text.slice(30_000)).toBe(
      `\n[Cut: characters 0 to 30000 of 30007. To read on, call read_result with {"id":"${record?.id}","offset":30000}]`,
    );
    expect(rest).toMatchObject({ text: "THE END", isError: false });
    expect(foreign).toMatchObject({ isError: true });
    expect(record?.result?.content).toEqual([{ type: "text", text: long }]);
  });

  it("a conversation that outgrows the model's window loses its oldest turns, which is reported", async () => {
    const { run, model } = await startTestRuns([], {}, { contextTokens: 4_000 });
    const sessionId = sessionOfRun(await run("a".repeat(6_000)));
    const events = await run("b".repeat(6_000), { sessionId });
    expect(events).toContainEqual({ type: "context-trimmed", messages: 2 });
    expect(model.requests[1]?.messages).toHaveLength(1);
  });

  it("a conversation the vendor finds too long is sent once more, shorter", async () => {
    const tooLong = new ModelError("context-too-long", "too long");
    const { run, model } = await startTestRuns([says("ok"), [tooLong], says("fits")], {}, { contextTokens: 10_000 });
    const sessionId = sessionOfRun(await run("a".repeat(12_000)));
    const events = await run("b".repeat(6_000), { sessionId });
    expect(endOfRun(events)).toEqual({ reason: "done" });
    expect(model.requests.slice(1).map(({ messages }) => messages.length)).toEqual([3, 1]);
  });
});

describe("GPTs (S1.33)", () => {
  it("provide instructions, model and tools; tools they leave out do not exist for them", async () => {
    const servers = [testDefinition("s"), testDefinition("t")];
    const gpts = [{ ...TEST_GPT, servers: ["t"], tools: { "t:b": "off" as const }, approval: "auto" as const }];
    const { run, model, connector, engine } = await startTestRuns([asksFor(hello), says("ok")], { servers, gpts });
    connector.server("t").tools = [{ name: "a" }, { name: "b" }];
    connector.toolsChanged("t");
    await waitUntil(async () => (await engine.tools.list()).length === 3);
    await run("x", { gpt: "helper" });
    expect(model.requests[0]).toMatchObject({ instructions: "Be brief.", tools: [{ name: "a" }] });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      results: [{ isError: true, text: "MCP error: Unknown tool 'echo'." }],
    });
  });

  it("of the config file cannot be replaced or removed; others can", async () => {
    const { engine } = await startTestRuns([], { gpts: [TEST_GPT] });
    expect(await engine.gpts.save({ ...TEST_GPT, name: "Evil" })).toMatchObject({ kind: "failed" });
    expect(await engine.gpts.remove("helper")).toMatchObject({ kind: "failed" });
    expect(await engine.gpts.save({ ...TEST_GPT, key: "other" })).toMatchObject({ kind: "ok" });
    expect((await engine.gpts.list()).map(({ key }) => key)).toEqual(["helper", "other"]);
    expect(await engine.gpts.remove("other")).toEqual({ kind: "ok", value: true });
  });
});
