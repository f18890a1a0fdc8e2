import { describe, expect, it } from "vitest";
import { loadConversation } from "../client/load-conversation.ts";
import { streamRun } from "../client/stream-run.ts";
import type { ToolResult } from "../domain/call.ts";
import { ConnectionError } from "../domain/connection.ts";
import { ModelError } from "../domain/model.ts";
import { DEFAULT_SEARCH } from "../domain/search-settings.ts";
import type { Models } from "../ports/model.ts";
import {
  asksFor,
  createScriptedModel,
  ECHO,
  endOfRun,
  outcomesOfRun,
  says,
  scriptedModels,
  sessionOfRun,
  startTestRuns,
  stepsOfRun,
  testDefinition,
  waitUntil,
} from "../testing/index.ts";

const hello = { id: "m1", tool: "echo", arguments: { message: "hello" } };

describe("a run", () => {
  it("passes on every piece of text as it arrives, and ends", async () => {
    const { run, model } = await startTestRuns([says("Hel", "lo")]);
    const events = await run("hi");
    expect(events.map(({ type }) => type)).toEqual(["run-started", "text", "text", "run-ended"]);
    expect(endOfRun(events)).toEqual({ reason: "done" });
    expect(model.requests[0]?.messages).toEqual([{ role: "user", parts: [{ type: "text", text: "hi" }] }]);
  });

  it("F10 stops a model that writes without end, and keeps what fits", async () => {
    async function* endless() {
      for (;;) yield { type: "text", text: "x".repeat(100_000) } as const;
    }
    const { run, engine } = await startTestRuns([endless]);
    const events = await run("hi");
    expect(endOfRun(events)).toMatchObject({
      reason: "model-error",
      code: "bad-answer",
      message: expect.stringMatching(/^Model 'scripted' wrote more than 4 MB in one turn and was stopped\./),
    });
    const messages = await loadConversation(engine, sessionOfRun(events));
    expect(JSON.stringify(messages).length).toBeLessThan(4 * 1024 * 1024 + 1_000);
  });

  it("S2.1 every tool is offered to the model, whichever server has it", async () => {
    const { run, model } = await startTestRuns([says("ok")], { servers: [testDefinition("s"), testDefinition("t")] });
    await run("hi");
    expect(model.requests[0]?.tools).toEqual([
      { name: "echo", description: "Says it again", inputSchema: ECHO.inputSchema },
    ]);
  });

  it("S2.8 makes the calls a model asks for and continues with the results, in a second round too (C1.6)", async () => {
    const { run, model, connector } = await startTestRuns([
      [{ type: "text", text: "Let me see. " }, ...asksFor(hello)],
      asksFor({ ...hello, id: "m2", arguments: { message: "again" } }),
      says("Done."),
    ]);
    const events = await run("say hello");
    expect(connector.calls.map(({ arguments: given }) => given)).toEqual([{ message: "hello" }, { message: "again" }]);
    const call = events.find((event) => event.type === "call-changed");
    expect(call).toMatchObject({ call: { shownName: "echo", server: "s", arguments: { message: "hello" } } });
    expect(stepsOfRun(events)).toEqual([
      ...["run-started", "text"],
      ...["call pending", "call running", "call success", "call-result"],
      ...["call pending", "call running", "call success", "call-result"],
      ...["text", "run-ended"],
    ]);
    expect(model.requests[2]?.messages).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        parts: [
          { type: "text", text: "Let me see. " },
          { type: "call", id: "m1", tool: "echo" },
        ],
      },
      { role: "tool", results: [{ id: "m1", tool: "echo", text: '{"message":"hello"}', isError: false }] },
      { role: "assistant", parts: [{ type: "call", id: "m2" }] },
      { role: "tool", results: [{ id: "m2", text: '{"message":"again"}' }] },
    ]);
  });

  it("calls of one turn run at the same time, and their results come back in the model's order", async () => {
    const { run, model, connector } = await startTestRuns([
      asksFor(hello, { ...hello, id: "m2", arguments: { message: "second" } }),
      says("ok"),
    ]);
    const answers: ((result: ToolResult) => void)[] = [];
    connector.server("s").answer = () => new Promise((resolve) => answers.push(resolve));
    const both = run("both");
    await waitUntil(() => answers.length === 2);
    for (const [index, answer] of [...answers.entries()].reverse()) {
      answer({ content: [{ type: "text", text: `answer ${index}` }], isError: false });
      await Promise.resolve();
    }
    const events = await both;
    expect(outcomesOfRun(events).map((outcome) => outcome.status)).toEqual(["success", "success"]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      results: [
        { id: "m1", text: "answer 0" },
        { id: "m2", text: "answer 1" },
      ],
    });
  });

  it("calls of several turns with the same id from the model each get their own, and so do their results", async () => {
    const { run, model } = await startTestRuns([asksFor(hello), asksFor(hello), asksFor(hello), says("ok")]);
    await run("thrice");
    const ids = model.requests[3]?.messages.flatMap((message) => {
      if (message.role === "tool") return message.results.map(({ id }) => id);
      return message.role === "assistant"
        ? message.parts.flatMap((part) => (part.type === "call" ? [part.id] : []))
        : [];
    });
    expect(ids).toEqual(["m1", "m1", "m1_2", "m1_2", "m1_3", "m1_3"]);
  });

  it("two calls with the same id from the model are both made and both answered", async () => {
    const { run, model, connector } = await startTestRuns([
      asksFor(hello, { ...hello, arguments: { message: "other" } }),
      says("ok"),
    ]);
    await run("twice");
    expect(connector.calls).toHaveLength(2);
    const last = model.requests[1]?.messages.at(-1);
    expect(last?.role === "tool" && last.results.map(({ text }) => text)).toEqual([
      '{"message":"hello"}',
      '{"message":"other"}',
    ]);
  });
});

describe("a failing tool never ends a run (S1.43, S2.10, S2.11)", () => {
  it.each([
    ["an unknown tool", { ...hello, tool: "ekko" }, "MCP error: Unknown tool 'ekko'. Did you mean 'echo'?"],
    [
      "wrong arguments",
      { ...hello, arguments: {} },
      "MCP error: Invalid arguments for tool 'echo': missing argument \"message\"",
    ],
    [
      "arguments that are not JSON",
      { ...hello, arguments: {}, unreadable: '{"message": "hel' },
      'MCP error: The arguments of tool \'echo\' cannot be read as a JSON object: {"message": "hel',
    ],
    [
      "arguments so deep that they would exhaust the stack",
      { ...hello, arguments: JSON.parse(`{"message":${"[".repeat(50_000)}${"]".repeat(50_000)}}`) },
      "MCP error: The arguments of tool 'echo' cannot be read as a JSON object: they are nested more than 100 levels deep",
    ],
    [
      "arguments that are not JSON and without end",
      { ...hello, arguments: {}, unreadable: `{"message": "${"x".repeat(100_000)}` },
      `MCP error: The arguments of tool 'echo' cannot be read as a JSON object: {"message": "${"x".repeat(87)} … ${"x".repeat(100)}`,
    ],
  ])("%s goes back to the model as an error result, is recorded, and the run goes on", async (_what, call, text) => {
    const { run, model, store, connector } = await startTestRuns([asksFor(call), says("I see.")]);
    const events = await run("try");
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ id: "m1", text, isError: true }] });
    expect(endOfRun(events)).toEqual({ reason: "done" });
    expect(connector.calls).toHaveLength(0);
    const [outcome] = outcomesOfRun(events);
    expect(await store.calls.load(outcome?.callId ?? "")).toMatchObject({ status: "error" });
  });

  it("a server that breaks mid-call, a tool's own error and a refused call each go back to the model", async () => {
    const { run, model, connector } = await startTestRuns([
      asksFor(hello),
      asksFor({ ...hello, id: "m2" }),
      says("I see."),
    ]);
    connector.server("s").answer = () => {
      if (connector.calls.length === 1) throw new ConnectionError("interrupted", "It exited with code 1.");
      return { content: [{ type: "text", text: "no such message" }], isError: true };
    };
    expect(endOfRun(await run("try"))).toEqual({ reason: "done" });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      results: [
        {
          text: "MCP error: Server 's' went away before it answered; the call may have run. It exited with code 1.",
          isError: true,
        },
      ],
    });
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({ results: [{ text: "no such message", isError: true }] });
  });

  it("C2.3 at most 20 rounds", async () => {
    const { run, model } = await startTestRuns(
      Array.from({ length: 30 }, (_, index) => asksFor({ ...hello, id: `m${index}` })),
    );
    expect(endOfRun(await run("for ever"))).toEqual({
      reason: "too-many-rounds",
      message: "Error: maximum tool call rounds exceeded.",
    });
    expect(model.requests).toHaveLength(20);
  });
});

describe("a model that fails", () => {
  it("the run ends with the reason, and the earlier text stays in the session", async () => {
    const failure = new ModelError("rate-limit", "The model is busy; try again in 20 s", { retryAfterMs: 20_000 });
    const { run, engine } = await startTestRuns([[{ type: "text", text: "Once upon" }, failure]]);
    const events = await run("a story");
    expect(endOfRun(events)).toEqual({
      reason: "model-error",
      code: "rate-limit",
      message: "The model is busy; try again in 20 s",
      retryAfterMs: 20_000,
    });
    const messages = (await loadConversation(engine, sessionOfRun(events)))?.messages.map(({ message }) => message);
    expect(messages).toMatchObject([{ role: "user" }, { role: "assistant", parts: [{ text: "Once upon" }] }]);
  });

  it("calls of a turn that failed are not made", async () => {
    const { run, connector } = await startTestRuns([
      [...asksFor(hello).slice(0, 1), new ModelError("unreachable", "The stream was cut")],
    ]);
    expect(endOfRun(await run("go"))).toMatchObject({ reason: "model-error", code: "unreachable" });
    expect(connector.calls).toHaveLength(0);
  });

  it("only the text of a turn that was cut short is kept, without the vendor's marks", async () => {
    const vendor = { id: "mark" };
    const said = [
      { type: "thought", text: "Hm", vendor },
      { type: "text", text: "Once upon", vendor },
      { type: "call", call: { type: "call", ...hello } },
    ] as const;
    const cut = new ModelError("unreachable", "The stream was cut");
    const { run, model, connector } = await startTestRuns([
      [...said, { type: "ended", reason: "length" }],
      [...said, cut],
      says("ok"),
    ]);
    const sessionId = sessionOfRun(await run("a story"));
    await run("go on", { sessionId });
    await run("go on", { sessionId });
    const kept = [{ type: "text", text: "Once upon" }];
    const sent = model.requests[2]?.messages.flatMap((message) =>
      message.role === "assistant" ? [message.parts] : [],
    );
    expect(sent).toEqual([kept, kept]);
    expect(connector.calls).toEqual([]);
  });

  it("an empty turn ends the run; a cut-off or refused one is reported as such", async () => {
    const { run } = await startTestRuns([
      [{ type: "ended", reason: "stop" }],
      [
        { type: "text", text: "long" },
        { type: "ended", reason: "length" },
      ],
      [{ type: "ended", reason: "refused" }],
    ]);
    expect(endOfRun(await run("one"))).toEqual({ reason: "done" });
    expect(endOfRun(await run("two"))).toEqual({ reason: "length" });
    expect(endOfRun(await run("three"))).toEqual({ reason: "refused" });
  });

  it("nothing is sent if the requested model, GPT or session does not exist", async () => {
    const { run, model } = await startTestRuns([]);
    expect(endOfRun(await run("x", { model: "nobody" }))).toEqual({
      reason: "not-started",
      message: "There is no model 'nobody'",
    });
    expect(endOfRun(await run("x", { gpt: "nobody" }))).toMatchObject({ reason: "not-started" });
    expect(endOfRun(await run("x", { sessionId: "nobody" }))).toMatchObject({ reason: "not-started" });
    expect(model.requests).toHaveLength(0);
  });
});

describe("cancelling a run", () => {
  it("while the model answers", async () => {
    const abort = new AbortController();
    const { run } = await startTestRuns([() => new Promise(() => abort.abort())]);
    expect(endOfRun(await run("x", {}, { signal: abort.signal }))).toEqual({ reason: "cancelled" });
  });

  it("while a call runs: the server is notified, and the session stays consistent", async () => {
    const abort = new AbortController();
    const { run, connector, engine } = await startTestRuns([asksFor(hello), says("never")]);
    connector.server("s").answer = ({ signal }) => {
      abort.abort();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", reject));
    };
    const events = await run("x", {}, { signal: abort.signal });
    expect(endOfRun(events)).toEqual({ reason: "cancelled" });
    expect(outcomesOfRun(events)).toMatchObject([{ failure: { ending: "cancelled" } }]);
    const last = (await loadConversation(engine, sessionOfRun(events)))?.messages.at(-1)?.message;
    expect(last).toMatchObject({ role: "tool", results: [{ id: "m1", isError: true }] });
  });

  it("while a model ranks tools: the request is aborted at once, and the run's model is not asked", async () => {
    const abort = new AbortController();
    let isAsked = false;
    const model = createScriptedModel([says("never")]);
    const models: Models = {
      ...scriptedModels(model),
      embed: (_name, _texts, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", reject);
          isAsked = true;
        }),
    };
    const toolbox = { search: { ...DEFAULT_SEARCH, embeddings: "e" } };
    const servers = [testDefinition("s", { include: "agent" })];
    const { run, logger } = await startTestRuns([], { servers, toolbox, ports: { models } });
    const events = run("x", {}, { signal: abort.signal });
    await waitUntil(() => isAsked);
    abort.abort();
    expect(endOfRun(await events)).toEqual({ reason: "cancelled" });
    expect([model.requests, logger.lines.filter(({ level }) => level === "warn")]).toEqual([[], []]);
  });

  it("by leaving the loop: the calls it started are ended", async () => {
    const { host, engine, connector } = await startTestRuns([asksFor(hello), says("never")]);
    connector.server("s").answer = ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", reject));
    for await (const event of streamRun(engine, { prompt: [{ type: "text", text: "x" }] })) {
      if (event.type === "call-changed" && event.call.status === "running") break;
    }
    expect((await engine.calls.list({ limit: 9 })).items).toMatchObject([{ status: "error", ending: "cancelled" }]);
    await host.stop();
  });

  it("by stopping the engine", async () => {
    const { host, engine, run, clock } = await startTestRuns([() => new Promise(() => undefined)]);
    const events = run("x");
    await waitUntil(async () => (await engine.sessions.list({ limit: 1 })).items.length === 1);
    const stopped = host.stop(1_000);
    await waitUntil(() => clock.pending() > 0);
    clock.advance(1_000);
    expect(endOfRun(await events)).toEqual({ reason: "cancelled" });
    await stopped;
  });
});
