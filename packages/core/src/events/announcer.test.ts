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
  it("are not kept while nobody reads, and heard by everybody who does", async () => {
    const { emit, follow, isHeard, isFollowed } = setUp();
    emit(GRANTS);
    expect([isHeard("a"), isFollowed("a")]).toEqual([false, false]);
    const { next } = reader(follow());
    expect([isHeard("a"), isFollowed("a")]).toEqual([true, true]);
    emit(GPTS);
    expect(await next()).toMatchObject({ at: "2026-01-01T00:00:00.000Z", event: GPTS });
  });

  it("have ids of this engine alone: one of another is a gap, and what is new comes after it", async () => {
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

  it("are not kept for readers that just listened: a call costs the same after them as before", async () => {
    const { emit, follow, isHeard } = setUp();
    const { next, leave } = reader(follow());
    emit(GRANTS);
    const { id } = await next();
    await leave();
    expect(isHeard("a")).toBe(false);
    expect(await firstOf(follow(id))).toEqual(GAP);
  });

  it("are kept for a minute when the last reader has left that may come back, and a gap afterwards", async () => {
    const { clock, emit, follow, last, isHeard, isFollowed } = setUp();
    last();
    const { next, leave } = reader(follow());
    emit(GRANTS);
    const { id } = await next();
    await leave();
    clock.advance(59_999);
    expect([isHeard("a"), isFollowed("a")]).toEqual([true, false]);
    emit(GPTS);
    expect(await firstOf(follow(id))).toEqual(GPTS);
    // That was a reader, too.
    clock.advance(60_000);
    expect(isHeard("a")).toBe(false);
    emit(GPTS);
    expect(await firstOf(follow(id))).toEqual(GAP);
  });

  it("are not lost between asking where they are and following them", async () => {
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

  it("are copies: what made one may go on with its values", async () => {
    const { emit, follow, watch } = setUp();
    const { next } = reader(follow());
    const heard: CallEvent[] = [];
    watch("a", (event) => heard.push(event));
    const given = { city: "Lisbon" };
    emit(pending("a", given));
    given.city = "Porto";
    const { event } = await next();
    expect(event).toEqual(pending("a", { city: "Lisbon" }));
    expect(heard).toEqual([pending("a", { city: "Lisbon" })]);
  });
});

describe("whoever watches a call", () => {
  it("hears everything of this call at once and in order, and nothing else, until it stops", () => {
    const { emit, watch, isHeard, isFollowed } = setUp();
    const heard: CallEvent[] = [];
    const stop = watch("a", (event) => heard.push(event));
    expect([isHeard("a"), isFollowed("a"), isHeard("b"), isFollowed("b")]).toEqual([true, true, false, false]);
    for (const event of [GRANTS, ...allAbout("b"), ...allAbout("a")]) emit(event);
    expect(heard).toEqual(allAbout("a"));
    stop();
    emit(pending("a"));
    expect([heard.length, isHeard("a")]).toEqual([allAbout("a").length, false]);
  });
});
