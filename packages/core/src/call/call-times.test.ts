import { describe, expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import type { ToolResult } from "../domain/call.ts";
import type { Caller } from "../domain/caller.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { EngineEvent } from "../domain/events.ts";
import {
  allow,
  asksFor,
  createScriptedApprover,
  ECHO,
  openTestSession,
  says,
  startTestRuns,
  type TestEngineOptions,
  waitUntil,
} from "../testing/index.ts";

const echo = { tool: "echo", arguments: { message: "x" } };
const ASK = { approvalMode: "always-ask", attended: true } as const;
const done: ToolResult = { content: [], isError: false };

/** Allows one call at a time, which stays at its server until a test ends it. */
async function startSlow(options: TestEngineOptions = {}) {
  const test = await startTestRuns([], { toolbox: { tools: [{ name: ECHO.name, maxInstances: 1 }] }, ...options });
  const ends: (() => void)[] = [];
  test.connector.server("s").answer = () => new Promise((resolve) => ends.push(() => resolve(done)));
  return {
    ...test,
    atServer: (count: number) => waitUntil(() => ends.length === count),
    end: (index: number) => ends[index]?.(),
    record: (id: string) => test.engine.calls.get(id),
  };
}

describe("where the time of a call went", () => {
  it("waiting for a person who allowed it, then at its server", async () => {
    const { engine, clock, atServer, end, record } = await startSlow();
    const call = engine.calls.make({ id: "asked", ...echo }, ASK);
    await waitUntil(async () => (await engine.approvals.list()).length === 1);
    clock.advance(7_000);
    const [request] = await engine.approvals.list();
    if (request === undefined) throw new Error("Nothing waits");
    await engine.approvals.answer("asked", allow(request));
    await atServer(1);
    expect((await record("asked"))?.times).toBe(undefined);
    clock.advance(2_000);
    end(0);
    expect((await call).durationMs).toBe(9_000);
    expect((await record("asked"))?.times).toEqual({ personMs: 7_000, slotMs: 0, runMs: 2_000 });
  });

  it("F19 is measured, and so is how long an approval counts, whatever the clock is set to meanwhile", async () => {
    const { engine, clock, atServer, end, record } = await startSlow();
    const call = engine.calls.make({ id: "asked", ...echo }, ASK);
    await waitUntil(async () => (await engine.approvals.list()).length === 1);
    clock.advance(7_000);
    clock.shift(730 * 24 * 60 * 60 * 1_000);
    const [request] = await engine.approvals.list();
    if (request === undefined) throw new Error("Nothing waits");
    await engine.approvals.answer("asked", allow(request));
    await atServer(1);
    clock.shift(-900 * 24 * 60 * 60 * 1_000);
    clock.advance(2_000);
    end(0);
    expect(await call).toMatchObject({ status: "success", durationMs: 9_000 });
    expect((await record("asked"))?.times).toEqual({ personMs: 7_000, slotMs: 0, runMs: 2_000 });
  });

  it("waiting for a slot, then at its server", async () => {
    const { engine, clock, atServer, end, record } = await startSlow();
    const first = engine.calls.make({ id: "first", ...echo });
    await atServer(1);
    const second = engine.calls.make({ id: "second", ...echo });
    await waitUntil(async () => (await record("second"))?.status === "pending");
    clock.advance(3_000);
    end(0);
    await atServer(2);
    clock.advance(1_000);
    end(1);
    await Promise.all([first, second]);
    expect((await record("first"))?.times).toEqual({ personMs: 0, slotMs: 0, runMs: 3_000 });
    expect((await record("second"))?.times).toEqual({ personMs: 0, slotMs: 3_000, runMs: 1_000 });
  });

  it("waiting for an answer to its server's question, which does not count as time at the server", async () => {
    const { engine, clock, connector, atServer, end, record } = await startSlow({ ports: { answersQuestions: true } });
    const call = engine.calls.make({ id: "asking", ...echo }, { attended: true });
    await atServer(1);
    clock.advance(1_000);
    const question = { kind: "form", server: "", message: "Who?", schema: {} } as const;
    const reply = connector.options("s").elicit?.(question, new AbortController().signal);
    clock.advance(40_000);
    const [asked] = await engine.questions.list();
    await engine.questions.answer(asked?.id ?? "", { kind: "decline" });
    await reply;
    clock.advance(500);
    end(0);
    expect((await call).status).toBe("success");
    expect((await record("asking"))?.times).toEqual({ personMs: 40_000, slotMs: 0, runMs: 1_500 });
  });

  it("is also recorded for calls that failed", async () => {
    const { engine, clock, atServer, end, record } = await startSlow();
    const lost = await engine.calls.make({ id: "lost", tool: "nobody", arguments: {} });
    expect(lost.status).toBe("error");
    expect(await record("lost")).toMatchObject({ times: { personMs: 0, slotMs: 0, runMs: 0 }, sent: false });
    const first = engine.calls.make(echo);
    await atServer(1);
    const refused = engine.calls.make({ id: "refused", ...echo });
    await waitUntil(async () => (await record("refused"))?.status === "pending");
    clock.advance(29_000);
    end(0);
    await first;
    await atServer(2);
    clock.advance(30_000);
    expect(await refused).toMatchObject({ failure: { ending: "timed-out" } });
    expect(await record("refused")).toMatchObject({
      times: { personMs: 0, slotMs: 29_000, runMs: 30_000 },
      sent: true,
    });
  });
});

describe("whether a cancelled call was sent", () => {
  it("is false while it waits for a person or a slot, and true at its server", async () => {
    const { engine, atServer, record } = await startSlow();
    const asked = engine.calls.make({ id: "asked", ...echo }, ASK);
    await waitUntil(async () => (await engine.approvals.list()).length === 1);
    const running = engine.calls.make({ id: "running", ...echo });
    await atServer(1);
    const waiting = engine.calls.make({ id: "waiting", ...echo });
    await waitUntil(async () => (await record("waiting"))?.status === "pending");
    for (const id of ["asked", "waiting", "running"]) expect(await engine.calls.cancel(id)).toBe(true);
    for (const [call, sent] of [
      [asked, false],
      [waiting, false],
      [running, true],
    ] as const) {
      const outcome = await call;
      expect(outcome).toMatchObject({ status: "error", failure: { ending: "cancelled", sent } });
      expect(await record(outcome.callId)).toMatchObject({ ending: "cancelled", sent });
    }
    expect(await engine.calls.cancel("running")).toBe(false);
  });

  it("is in the record of every failure, and of no success", async () => {
    const { engine, connector } = await startTestRuns([]);
    const sentOf = async () => (await engine.calls.get((await engine.calls.make(echo)).callId))?.sent;
    expect(await sentOf()).toBe(undefined);
    const answers = { interrupted: true, "protocol-error": true, unreachable: false } as const;
    for (const [code, sent] of Object.entries(answers)) {
      connector.server("s").answer = () => {
        throw new ConnectionError(code as keyof typeof answers, "no");
      };
      expect([code, await sentOf()]).toEqual([code, sent]);
    }
  });
});

describe("the caller of a call", () => {
  async function startHearing() {
    const test = await startTestRuns([asksFor({ id: "m1", ...echo }), says("ok")]);
    const events: EngineEvent[] = [];
    listen(test.engine, (event) => events.push(event));
    /** The caller in the record, which every event must have as well. */
    const callerOf = async (id: string): Promise<Caller | undefined> => {
      const summaries = () =>
        events.flatMap((event) => (event.type === "call-changed" && event.call.id === id ? [event.call] : []));
      await waitUntil(() => summaries().length === 3);
      const record = await test.engine.calls.get(id);
      expect(summaries().map(({ caller }) => caller)).toEqual([record?.caller, record?.caller, record?.caller]);
      return record?.caller;
    };
    return { ...test, callerOf };
  }

  it("is `code` unless the door says otherwise", async () => {
    const { engine, callerOf } = await startHearing();
    expect(await callerOf((await engine.calls.make(echo)).callId)).toEqual({ door: "code" });
    const caller: Caller = { door: "acp", client: "An Editor", principal: "ada" };
    expect(await callerOf((await engine.calls.make(echo, { caller })).callId)).toEqual(caller);
  });

  it("is in the session that the engine knows, not one the door claims", async () => {
    const { engine, callerOf } = await startHearing();
    const sessionId = await openTestSession(engine, []);
    const own = await engine.calls.make(echo, { sessionId });
    expect(await callerOf(own.callId)).toEqual({ door: "code", sessionId });
    const given = await engine.calls.make(echo, { sessionId, caller: { door: "web", sessionId: "another" } });
    expect(await callerOf(given.callId)).toEqual({ door: "web", sessionId });
  });

  it("is the caller of its run", async () => {
    const { engine, run, callerOf } = await startHearing();
    const events = await run("x", {}, { caller: { door: "chat" } });
    const [started] = events;
    const sessionId = started?.type === "run-started" ? started.sessionId : "";
    const [record] = (await engine.calls.list({ limit: 1 })).items;
    expect(await callerOf(record?.id ?? "")).toEqual({ door: "chat", sessionId });
  });

  it("is also recorded if the call waits for a person first or fails early", async () => {
    const approver = createScriptedApprover(allow);
    const { engine } = await startTestRuns([], { approver });
    const caller: Caller = { door: "cli" };
    const ids = [
      (await engine.calls.make(echo, { ...ASK, caller })).callId,
      (await engine.calls.make({ tool: "nobody", arguments: {} }, { caller })).callId,
    ];
    const records = await Promise.all(ids.map((id) => engine.calls.get(id)));
    expect(records).toMatchObject([
      { status: "success", caller },
      { status: "error", caller },
    ]);
  });
});
