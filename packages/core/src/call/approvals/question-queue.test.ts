import { describe, expect, it } from "vitest";
import { listen } from "../../client/listen.ts";
import type { EngineEvent } from "../../domain/events.ts";
import { asksFor, ECHO, openTestSession, says, startTestRuns, testDefinition, waitUntil } from "../../testing/index.ts";

const QUESTION = { kind: "form", server: "", message: "Who are you?", schema: { type: "object" } } as const;
const TEN_MINUTES = 10 * 60_000;
const echo = { tool: "echo", arguments: { message: "x" } };
const attended = { attended: true };

/** Starts servers `s` and `t`, which hold every call until the test ends it and can ask questions meanwhile. */
async function startAsking(turns: Parameters<typeof startTestRuns>[0] = []) {
  const servers = [testDefinition("s"), testDefinition("t")];
  const test = await startTestRuns(turns, { servers, ports: { answersQuestions: true } });
  const { engine, connector } = test;
  connector.server("t").tools = [{ ...ECHO, name: "other" }];
  connector.toolsChanged("t");
  await waitUntil(async () => (await engine.tools.list()).length === 2);
  const open: (() => void)[] = [];
  for (const server of ["s", "t"])
    connector.server(server).answer = () =>
      new Promise((resolve) => open.push(() => resolve({ content: [], isError: false })));
  const events: EngineEvent[] = [];
  listen(engine, (event) => events.push(event));
  return {
    ...test,
    /** Makes a call; resolves when it is at its server. */
    async makeCall(options: NonNullable<Parameters<typeof engine.calls.make>[1]>, tool = "echo") {
      const before = open.length;
      const outcome = engine.calls.make({ ...echo, tool }, options);
      await waitUntil(() => open.length > before);
      return { outcome, end: open[before] ?? (() => undefined) };
    },
    open,
    ask: (server = "s", signal = new AbortController().signal) => connector.options(server).elicit?.(QUESTION, signal),
    /** How questions ended. */
    ends: () => events.flatMap((event) => (event.type === "question-answered" ? [event.answer] : [])),
    asked: () => events.flatMap((event) => (event.type === "question-asked" ? [event.question] : [])),
  };
}

describe("a question of a server", () => {
  it("asked during an attended call is listed, announced and answered, once", async () => {
    const { engine, clock, makeCall, ask, asked, ends } = await startAsking();
    const { outcome, end } = await makeCall(attended);
    const reply = ask();
    await waitUntil(() => asked().length === 1);
    const [question] = await engine.questions.list();
    expect(question).toEqual({
      id: expect.any(String),
      callId: expect.any(String),
      kind: "form",
      scope: "agent",
      server: "s",
      message: "Who are you?",
      schema: { type: "object" },
      expiresAt: clock.now() + TEN_MINUTES,
    });
    expect(asked()).toEqual([question]);
    const answer = { kind: "accept", content: { name: "Ada" } } as const;
    const id = question?.id ?? "";
    expect(await engine.questions.answer(id, answer)).toBe(true);
    expect(await reply).toEqual(answer);
    expect([await engine.questions.list(), await engine.questions.answer(id, { kind: "decline" })]).toEqual([
      [],
      false,
    ]);
    end();
    expect((await outcome).callId).toBe(question?.callId);
    await waitUntil(() => ends().length === 1);
    expect(ends()).toEqual(["accept"]);
  });

  it("asked during a call of a run is an event of that run, with its session", async () => {
    const test = await startAsking([asksFor({ id: "m1", ...echo }), says("ok")]);
    const { engine, ask, open } = test;
    const running = test.run("x", {}, attended);
    await waitUntil(() => open.length === 1);
    const reply = ask();
    const [question] = await engine.questions.list();
    await engine.questions.answer(question?.id ?? "", { kind: "cancel" });
    expect(await reply).toEqual({ kind: "cancel" });
    open[0]?.();
    const events = await running;
    const [started] = events;
    const ofQuestions = events.filter(({ type }) => type.startsWith("question-"));
    expect(ofQuestions).toEqual([
      { type: "question-asked", question },
      { type: "question-answered", questionId: question?.id, callId: question?.callId, answer: "cancel" },
    ]);
    expect(question?.sessionId).toBe(started?.type === "run-started" && started.sessionId);
  });

  it("is declined outside a call, before it and after it", async () => {
    const { makeCall, ask, asked } = await startAsking();
    expect(await ask()).toEqual({ kind: "decline" });
    const { outcome, end } = await makeCall(attended);
    expect(await ask("t")).toEqual({ kind: "decline" });
    end();
    await outcome;
    expect(await ask()).toEqual({ kind: "decline" });
    expect(asked()).toEqual([]);
  });

  it("is declined for an unattended call", async () => {
    const { engine, makeCall, ask } = await startAsking();
    const { outcome, end } = await makeCall({});
    expect(await ask()).toEqual({ kind: "decline" });
    expect(await engine.questions.list()).toEqual([]);
    end();
    await outcome;
  });

  it("is declined while calls of two sessions are at the server, because it is unknown whom it is for", async () => {
    const { engine, makeCall, ask } = await startAsking();
    const [one, other] = [await openTestSession(engine, []), await openTestSession(engine, [])];
    const first = await makeCall({ ...attended, sessionId: one });
    const second = await makeCall({ ...attended, sessionId: other });
    expect(await ask()).toEqual({ kind: "decline" });
    second.end();
    await second.outcome;
    const reply = ask();
    expect(await engine.questions.list()).toMatchObject([{ sessionId: one }]);
    first.end();
    await first.outcome;
    expect(await reply).toEqual({ kind: "cancel" });
  });

  it("is withdrawn when no call it could belong to is left", async () => {
    const { engine, makeCall, ask, ends } = await startAsking();
    const first = await makeCall(attended);
    const second = await makeCall(attended);
    const reply = ask();
    const [question] = await engine.questions.list();
    expect(question?.callId).toBe((await engine.calls.list({ limit: 1 })).items[0]?.id);
    second.end();
    await second.outcome;
    expect(await engine.questions.list()).toEqual([question]);
    await engine.calls.cancel((await engine.calls.list({ limit: 1, status: "running" })).items[0]?.id ?? "");
    expect(await first.outcome).toMatchObject({ failure: { ending: "cancelled" } });
    expect(await reply).toEqual({ kind: "cancel" });
    await waitUntil(() => ends().length === 1);
    expect([ends(), await engine.questions.list()]).toEqual([["withdrawn"], []]);
    expect(await engine.questions.answer(question?.id ?? "", { kind: "decline" })).toBe(false);
  });

  it("is withdrawn when the server takes it back", async () => {
    const { engine, makeCall, ask, ends } = await startAsking();
    const { outcome, end } = await makeCall(attended);
    const abort = new AbortController();
    const reply = ask("s", abort.signal);
    expect(await engine.questions.list()).toHaveLength(1);
    abort.abort();
    await expect(reply).rejects.toThrow();
    await waitUntil(() => ends().length === 1);
    expect([ends(), await engine.questions.list()]).toEqual([["withdrawn"], []]);
    end();
    expect((await outcome).status).toBe("success");
  });

  it("waits ten minutes, which do not count towards the call's timeout", async () => {
    const { engine, clock, makeCall, ask, ends } = await startAsking();
    const { outcome, end } = await makeCall(attended);
    const reply = ask();
    clock.advance(TEN_MINUTES - 1);
    expect(await engine.questions.list()).toHaveLength(1);
    clock.advance(1);
    expect(await reply).toEqual({ kind: "cancel" });
    await waitUntil(() => ends().length === 1);
    expect([ends(), await engine.questions.list()]).toEqual([["expired"], []]);
    end();
    expect((await outcome).status).toBe("success");
    expect(clock.pending()).toBe(0);
  });
});

describe("how many questions wait", () => {
  it("is at most ten per server: the next is declined, and other servers may still ask", async () => {
    const { engine, makeCall, ask } = await startAsking();
    const one = await makeCall(attended);
    const other = await makeCall(attended, "other");
    const replies = Array.from({ length: 10 }, () => ask());
    expect(await engine.questions.list()).toHaveLength(10);
    expect(await ask()).toEqual({ kind: "decline" });
    const others = ask("t");
    const waiting = await engine.questions.list();
    expect(waiting.map(({ server }) => server)).toEqual([...Array<string>(10).fill("s"), "t"]);
    await engine.questions.answer(waiting[0]?.id ?? "", { kind: "decline" });
    const next = ask();
    expect(await engine.questions.list()).toHaveLength(11);
    one.end();
    other.end();
    await Promise.all([one.outcome, other.outcome]);
    expect(await Promise.all([...replies, next, others])).toEqual([
      { kind: "decline" },
      ...Array.from({ length: 11 }, () => ({ kind: "cancel" })),
    ]);
  });
});

it("servers are not offered elicitation if no door shows questions", async () => {
  const { connector } = await startTestRuns([]);
  expect(connector.options("s").elicit).toBe(undefined);
});
