import { describe, expect, it } from "vitest";
import type { CallEvent, EngineEvent, Numbered } from "../domain/events.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { createAnnouncer } from "./announcer.ts";

const GRANTS: EngineEvent = { type: "grants-changed" };
const GPTS: EngineEvent = { type: "gpts-changed" };
const GAP: EngineEvent = { type: "gap" };

function setUp() {
  const clock = createManualClock();
  return { clock, ...createAnnouncer(clock) };
}

function reader(events: AsyncIterable<Numbered<EngineEvent>>) {
  const reading = events[Symbol.asyncIterator]();
  return {
    next: async (): Promise<Numbered<EngineEvent>> => {
      const { done, value } = await reading.next();
      if (done === true) throw new Error("The events are over");
      return value;
    },
    leave: () => reading.return?.(),
  };
}

async function firstOf(events: AsyncIterable<Numbered<EngineEvent>>): Promise<EngineEvent> {
  const { next, leave } = reader(events);
  const { event } = await next();
  await leave();
  return event;
}

function pending(id: string, given: Record<string, string> = {}): EngineEvent & CallEvent {
  const call = { id, scope: "agent", server: "s", toolName: "t", shownName: "t", arguments: given } as const;
  return { type: "call-changed", call: { ...call, status: "pending", startedAt: "2026-01-01T00:00:00.000Z" } };
}

/** Every kind of event that is about this call. */
function allAbout(callId: string): (EngineEvent & CallEvent)[] {
  const asked = { callId, scope: "agent", server: "s", message: "Who?", expiresAt: 0 } as const;
  return [
    pending(callId),
    { type: "call-progressed", callId, progress: { progress: 1 } },
    {
      type: "approval-requested",
      request: {
        callId,
        tool: { scope: "agent", server: "s", name: "t" },
        shownName: "t",
        arguments: {},
        argumentsDigest: "",
        fingerprint: "",
        reason: "",
        definition: {},
        lasting: [],
        expiresAt: 0,
      },
    },
    { type: "approval-answered", callId, answer: "allow" },
    { type: "question-asked", question: { id: "q", kind: "form", schema: {}, ...asked } },
    { type: "question-answered", questionId: "q", callId, answer: "decline" },
  ];
}

describe("the engine's events", () => {
  it("are not kept while no one reads, and reach every reader", async () => {
    const { emit, follow, wantsEvents, wantsProgress } = setUp();
    emit(GRANTS);
    expect([wantsEvents("a"), wantsProgress("a")]).toEqual([false, false]);
    const { next } = reader(follow());
    expect([wantsEvents("a"), wantsProgress("a")]).toEqual([true, true]);
    emit(GPTS);
    expect(await next()).toMatchObject({ at: "2026-01-01T00:00:00.000Z", event: GPTS });
  });

  it("have ids of this engine alone: an id of another engine leads to a gap, followed by new events", async () => {
    const [one, other] = [setUp(), setUp()];
    const foreign = reader(other.follow());
    other.emit(GRANTS);
    const { id } = await foreign.next();
    const own = reader(one.follow());
    one.emit(GRANTS);
    expect((await own.next()).id).not.toBe(id);
    const { next } = reader(one.follow(id));
    expect((await next()).event).toEqual(GAP);
    one.emit(GPTS);
    expect((await next()).event).toEqual(GPTS);
  });

  it("are not kept for readers that only listen: afterwards a call costs the same as before", async () => {
    const { emit, follow, wantsEvents } = setUp();
    const { next, leave } = reader(follow());
    emit(GRANTS);
    const { id } = await next();
    await leave();
    expect(wantsEvents("a")).toBe(false);
    expect(await firstOf(follow(id))).toEqual(GAP);
  });

  it("are kept for a minute after the last reader that may come back has left; later there is a gap", async () => {
    const { clock, emit, follow, last, wantsEvents, wantsProgress } = setUp();
    last();
    const { next, leave } = reader(follow());
    emit(GRANTS);
    const { id } = await next();
    await leave();
    clock.advance(59_999);
    expect([wantsEvents("a"), wantsProgress("a")]).toEqual([true, false]);
    emit(GPTS);
    expect(await firstOf(follow(id))).toEqual(GPTS);
    // Reading the first event above counted as a reader, too.
    clock.advance(60_000);
    expect(wantsEvents("a")).toBe(false);
    emit(GPTS);
    expect(await firstOf(follow(id))).toEqual(GAP);
  });

  it("are not lost between asking for the last id and following from it", async () => {
    const { clock, emit, follow, last } = setUp();
    emit(GRANTS);
    const before = last();
    emit(GPTS);
    expect(await firstOf(follow(before))).toEqual(GPTS);
    clock.advance(60_000);
    const quiet = last();
    emit(GRANTS);
    expect(await firstOf(follow(quiet))).toEqual(GRANTS);
  });

  it("are copies: the emitting code may change its values afterwards", async () => {
    const { emit, follow, watch } = setUp();
    const { next } = reader(follow());
    const received: CallEvent[] = [];
    watch("a", (event) => received.push(event));
    const given = { city: "Lisbon" };
    emit(pending("a", given));
    given.city = "Porto";
    const { event } = await next();
    expect(event).toEqual(pending("a", { city: "Lisbon" }));
    expect(received).toEqual([pending("a", { city: "Lisbon" })]);
  });
});

describe("a watcher of a call", () => {
  it("gets all events of this call at once and in order, and no others, until it stops", () => {
    const { emit, watch, wantsEvents, wantsProgress } = setUp();
    const received: CallEvent[] = [];
    const stop = watch("a", (event) => received.push(event));
    expect([wantsEvents("a"), wantsProgress("a"), wantsEvents("b"), wantsProgress("b")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    for (const event of [GRANTS, ...allAbout("b"), ...allAbout("a")]) emit(event);
    expect(received).toEqual(allAbout("a"));
    stop();
    emit(pending("a"));
    expect([received.length, wantsEvents("a")]).toEqual([allAbout("a").length, false]);
  });
});
