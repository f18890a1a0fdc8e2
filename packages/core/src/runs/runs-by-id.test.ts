import { describe, expect, it } from "vitest";
import { EngineError } from "../domain/failure.ts";
import type { ModelEvent } from "../ports/model.ts";
import { asksFor, endOfRun, openTestSession, says, startTestRuns, stepsOfRun, waitUntil } from "../testing/index.ts";

type TestRuns = Awaited<ReturnType<typeof startTestRuns>>;

const request = { prompt: [{ type: "text", text: "x" } as const] };
const hello = { id: "m1", tool: "echo", arguments: { message: "hello" } };
const forever = () => new Promise<never>(() => undefined);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A promise, and a function that resolves it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** A model turn of `count` pieces that waits for the gate before piece number `at`. */
async function* streamsInTwo(count: number, at: number, opened: Promise<void>): AsyncGenerator<ModelEvent> {
  for (let piece = 1; piece <= count; piece += 1) {
    if (piece === at) await opened;
    yield { type: "text", text: `${piece} ` };
  }
  yield { type: "ended", reason: "stop" };
}

/** Reads a run's events after an id, up to the end or to the given number of events. */
async function read({ engine }: TestRuns, id: string, after?: string, most = Number.POSITIVE_INFINITY) {
  const events = [];
  for await (const numbered of engine.runs.events(id, after)) {
    events.push(numbered);
    if (events.length >= most) break;
  }
  return events;
}

async function statusOf({ engine }: TestRuns, id: string) {
  return (await engine.runs.list()).find((run) => run.id === id)?.status;
}

describe("a run accessed by its id", () => {
  it("goes on when no one reads it any more, and gives all events to a later reader", async () => {
    const { open, opened } = gate();
    const test = await startTestRuns([() => streamsInTwo(2, 2, opened)]);
    const id = await test.engine.runs.start(request);
    expect((await read(test, id, undefined, 2)).map(({ event }) => event.type)).toEqual(["run-started", "text"]);
    expect(await statusOf(test, id)).toBe("running");
    open();
    await waitUntil(async () => (await statusOf(test, id)) === "ended");
    const events = (await read(test, id)).map(({ event }) => event);
    expect(stepsOfRun(events)).toEqual(["run-started", "text", "text", "run-ended"]);
    expect(events.at(-1)).toEqual({ type: "run-ended", runId: id, end: { reason: "done" } });
  });

  it("can be read on from any event, without loss or repetition", async () => {
    const { open, opened } = gate();
    const test = await startTestRuns([() => streamsInTwo(9, 6, opened)]);
    const id = await test.engine.runs.start(request);
    const first = await read(test, id, undefined, 3);
    const second = await read(test, id, first.at(-1)?.id, 2);
    const third = read(test, id, second.at(-1)?.id);
    open();
    const all = await read(test, id);
    expect([...first, ...second, ...(await third)]).toEqual(all);
    expect(all).toHaveLength(11);
    expect(new Set(all.map(({ id: place }) => place)).size).toBe(11);
    expect(await read(test, id, all.at(-1)?.id)).toEqual([]);
  });

  it("reports a gap for an id that is not its own, followed by the events it still has", async () => {
    const test = await startTestRuns([says("ok")]);
    const id = await test.engine.runs.start(request);
    const types = (await read(test, id, "elsewhere.7")).map(({ event }) => event.type);
    expect(types).toEqual(["gap", "run-started", "text", "run-ended"]);
  });

  it("is over, with all its calls, when cancelling it resolves", async () => {
    const test = await startTestRuns([asksFor(hello)]);
    const { engine, connector } = test;
    connector.server("s").answer = forever;
    const id = await engine.runs.start(request);
    await waitUntil(() => connector.calls.length === 1);
    expect(await engine.runs.cancel(id)).toBe(true);
    expect(await statusOf(test, id)).toBe("ended");
    expect((await engine.calls.list({ limit: 2 })).items).toMatchObject([{ status: "error", ending: "cancelled" }]);
    expect(endOfRun((await read(test, id)).map(({ event }) => event))).toEqual({ reason: "cancelled" });
    expect([await engine.runs.cancel(id), await engine.runs.cancel("nobody")]).toEqual([false, false]);
  });

  it("uses an approval mode set meanwhile from the next call on", async () => {
    const test = await startTestRuns([asksFor(hello), asksFor({ ...hello, id: "m2" }), says("ok")]);
    const { engine, connector, approver } = test;
    const { open, opened } = gate();
    connector.server("s").answer = async () => {
      await opened;
      return { content: [], isError: false };
    };
    const id = await engine.runs.start(request, { attended: true });
    await waitUntil(() => connector.calls.length === 1);
    expect(await engine.runs.setApprovalMode(id, "always-ask")).toBe(true);
    open();
    await waitUntil(() => approver.asked.length === 1);
    expect(connector.calls).toHaveLength(1);
    await engine.runs.cancel(id);
    expect(await engine.runs.setApprovalMode(id, "auto")).toBe(false);
    expect(await engine.runs.setApprovalMode("nobody", "auto")).toBe(false);
  });

  it("cannot be read if there is none with this id", async () => {
    const test = await startTestRuns([]);
    const reading = read(test, "nobody");
    await expect(reading).rejects.toBeInstanceOf(EngineError);
    await expect(reading).rejects.toMatchObject({ code: "not-found" });
  });
});

describe("the pace of a run", () => {
  const PIECES = 600;

  async function startLong() {
    let pieces = 0;
    async function* long(): AsyncGenerator<ModelEvent> {
      for (pieces = 1; pieces <= PIECES; pieces += 1) yield { type: "text", text: `${pieces} ` };
      yield { type: "ended", reason: "stop" };
    }
    const test = await startTestRuns([() => long()]);
    const id = await test.engine.runs.start(request);
    const reader = test.engine.runs.events(id)[Symbol.asyncIterator]();
    const first = await reader.next();
    return { ...test, id, reader, first, pieces: () => pieces };
  }

  it("is that of its slowest reader, which loses nothing", async () => {
    const { reader, first, pieces } = await startLong();
    await waitUntil(() => pieces() >= 200);
    for (let round = 0; round < 50; round += 1) await turn();
    expect(pieces()).toBeLessThan(250);
    const numberedEvents = [first.value];
    for (let step = await reader.next(); step.done !== true; step = await reader.next()) {
      numberedEvents.push(step.value);
      if (numberedEvents.length % 10 === 0) await turn();
    }
    const events = numberedEvents.flatMap((numbered) => (numbered === undefined ? [] : [numbered.event]));
    const texts = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(texts).toEqual(Array.from({ length: PIECES }, (_, index) => `${index + 1} `));
    expect([events[0]?.type, events.at(-1)?.type, events.length]).toEqual(["run-started", "run-ended", PIECES + 2]);
  });

  it("is its own after that reader has left", async () => {
    const { engine, id, reader, pieces } = await startLong();
    await waitUntil(() => pieces() >= 200);
    await reader.return?.();
    await waitUntil(async () => (await engine.runs.list()).every((run) => run.id === id && run.status === "ended"));
    expect(pieces()).toBe(PIECES + 1);
  });

  it("does not keep it from being cancelled", async () => {
    const { engine, id, pieces } = await startLong();
    await waitUntil(() => pieces() >= 200);
    expect(await engine.runs.cancel(id)).toBe(true);
    expect(pieces()).toBeLessThan(PIECES);
  });

  it("lets a reader get results that are larger in total than what is kept for later readers", async () => {
    const calls = ["a", "b", "c", "d"].map((message, index) => ({ ...hello, id: `m${index}`, arguments: { message } }));
    const test = await startTestRuns([asksFor(...calls), says("ok")]);
    const heavy = "x".repeat(9 * 1024 * 1024);
    test.connector.server("s").answer = () => ({ content: [{ type: "text", text: heavy }], isError: false });
    const id = await test.engine.runs.start(request);
    const types: string[] = [];
    for await (const { event } of test.engine.runs.events(id)) {
      types.push(event.type);
      for (let round = 0; round < 20; round += 1) await turn();
    }
    expect(types).not.toContain("gap");
    expect(types.filter((type) => type === "call-result")).toHaveLength(4);
  });
});

describe("the list of runs", () => {
  it("has the running and the ended ones, with their sessions", async () => {
    const test = await startTestRuns([says("ok"), forever]);
    const { engine } = test;
    const first = await engine.runs.start(request);
    await read(test, first);
    const sessionId = await openTestSession(engine, []);
    const second = await engine.runs.start({ ...request, sessionId });
    const startedAt = "2026-01-01T00:00:00.000Z";
    expect(await engine.runs.list()).toEqual([
      { id: first, sessionId: expect.any(String), startedAt, status: "ended" },
      { id: second, sessionId, startedAt, status: "running" },
    ]);
    await engine.runs.cancel(second);
  });

  it("forgets runs that ended a while ago", async () => {
    const test = await startTestRuns([]);
    const ids: string[] = [];
    for (let count = 0; count < 22; count += 1) {
      const id = await test.engine.runs.start(request);
      await read(test, id);
      ids.push(id);
    }
    await waitUntil(async () => (await test.engine.runs.list()).every(({ status }) => status === "ended"));
    expect((await test.engine.runs.list()).map(({ id }) => id)).toEqual(ids.slice(2));
    await expect(read(test, ids[0] ?? "")).rejects.toMatchObject({ code: "not-found" });
  });
});
