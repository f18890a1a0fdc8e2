import { describe, expect, it } from "vitest";
import type { Gap, Numbered } from "../domain/events.ts";
import { estimateJsonLength } from "./estimate-json-length.ts";
import { EventLog, type EventLogOptions } from "./event-log.ts";

interface TextEvent {
  readonly type: "text";
  readonly text: string;
}

const AT = "2026-01-01T00:00:00.000Z";
const never = new AbortController().signal;

function createLog(options: Partial<EventLogOptions> = {}): EventLog<TextEvent> {
  const now = () => Date.parse(AT);
  return new EventLog({ name: "log", maxEvents: 3, maxCharacters: 10_000, afterGap: "newest", now, ...options });
}

function push(log: EventLog<TextEvent>, ...texts: readonly string[]): void {
  for (const text of texts) log.push({ type: "text", text });
}

/** The results of the next reads in short: the text, `gap` or `end`. */
async function take(reader: AsyncIterator<Numbered<TextEvent | Gap>>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for (let reads = 0; reads < count; reads += 1) {
    const { done, value } = await reader.next();
    if (done === true) taken.push("end");
    else taken.push(value.event.type === "gap" ? "gap" : value.event.text);
  }
  return taken;
}

/** Whether a promise has settled after all pending microtasks have run. */
async function hasSettled(work: Promise<unknown>): Promise<boolean> {
  const later = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([work.then(() => true), later]);
}

describe("numbered events", () => {
  it("reach every reader with an id and a time, from where each began", async () => {
    const log = createLog();
    const early = log.read();
    push(log, "one");
    const late = log.read();
    push(log, "two");
    expect(await early.next()).toEqual({
      done: false,
      value: { id: "log.1", at: AT, event: { type: "text", text: "one" } },
    });
    expect([await take(early, 1), await take(late, 1)]).toEqual([["two"], ["two"]]);
  });

  it("are kept for a reader that is busy, and wake one that waits", async () => {
    const log = createLog();
    const reader = log.read();
    const waiting = take(reader, 1);
    expect(await hasSettled(waiting)).toBe(false);
    push(log, "one", "two");
    expect([await waiting, await take(reader, 1)]).toEqual([["one"], ["two"]]);
  });

  it("can be read on after any id, including the last", async () => {
    const log = createLog();
    expect(log.last).toBe("log.0");
    push(log, "one", "two");
    const { last } = log;
    push(log, "three");
    expect(await take(log.read("log.0"), 3)).toEqual(["one", "two", "three"]);
    expect([last, await take(log.read(last), 1)]).toEqual(["log.2", ["three"]]);
    const atTheEnd = log.read("log.3");
    push(log, "four");
    expect(await take(atTheEnd, 1)).toEqual(["four"]);
  });

  it("are read from the beginning if the log is configured so", async () => {
    const log = createLog({ afterGap: "oldest" });
    push(log, "one", "two");
    expect(await take(log.read(), 2)).toEqual(["one", "two"]);
  });
});

describe("a reader whose position is no longer kept", () => {
  it("gets one gap, and goes on with new events", async () => {
    const log = createLog();
    const reader = log.read();
    push(log, "one", "two", "three", "four");
    const { value: gap } = await reader.next();
    expect(gap).toEqual({ id: "log.4", at: AT, event: { type: "gap" } });
    push(log, "five", "six");
    expect(await take(reader, 2)).toEqual(["five", "six"]);
    expect(await take(log.read(gap?.id), 2)).toEqual(["five", "six"]);
  });

  it("goes on with the oldest kept event if the log is configured so", async () => {
    const log = createLog({ afterGap: "oldest" });
    push(log, "one", "two", "three", "four");
    const reader = log.read();
    const { value: gap } = await reader.next();
    expect(gap).toMatchObject({ id: "log.1", event: { type: "gap" } });
    expect(await take(reader, 3)).toEqual(["two", "three", "four"]);
    expect(await take(log.read("log.0"), 2)).toEqual(["gap", "two"]);
    expect(await take(log.read("log.1"), 1)).toEqual(["two"]);
  });

  it.each(["other.1", "log.7", "log.", "log.1x", "log.-1", "log1", "log.1.5", "log.99999999999999999999", ""])(
    "%j is no place in this log: a gap, then what is new",
    async (id) => {
      const log = createLog();
      push(log, "one", "two");
      const reader = log.read(id);
      const first = await reader.next();
      expect(first.value).toMatchObject({ id: "log.2", event: { type: "gap" } });
      push(log, "three");
      expect(await take(reader, 1)).toEqual(["three"]);
    },
  );

  it("gets a gap where events were dropped, and none after that", async () => {
    const log = createLog();
    push(log, "one", "two");
    const before = log.last;
    log.dropAll();
    const after = log.last;
    push(log, "three");
    expect([await take(log.read(before), 1), await take(log.read("log.1"), 1)]).toEqual([["gap"], ["gap"]]);
    expect(await take(log.read(after), 1)).toEqual(["three"]);
  });
});

describe("the kept events", () => {
  it("is no larger than allowed, and always the newest", async () => {
    const length = estimateJsonLength({ type: "text", text: "x".repeat(20) });
    const log = createLog({ maxEvents: 100, maxCharacters: 2 * length, afterGap: "oldest" });
    const text = (name: string) => name.padEnd(20, "x");
    push(log, text("one"), text("two"), text("three"));
    expect(await take(log.read(), 3)).toEqual(["gap", text("two"), text("three")]);
    push(log, "y".repeat(1_000));
    expect(await take(log.read(), 2)).toEqual(["gap", "y".repeat(1_000)]);
    push(log, "z");
    expect(await take(log.read(), 2)).toEqual(["gap", "z"]);
  });

  it.each([["text"], [""], [7], [null], [true], [[1, "a", []]], [{ a: { b: ["c"] }, d: null }]])(
    "%j weighs about what it is as JSON",
    (value) => {
      expect(Math.abs(estimateJsonLength(value) - JSON.stringify(value).length)).toBeLessThanOrEqual(8);
    },
  );
});

describe("the end of a log", () => {
  it("comes after the remaining events, and reaches waiting readers", async () => {
    const log = createLog();
    const lagging = log.read();
    push(log, "one");
    const waiting = take(log.read(), 1);
    log.close();
    expect([await waiting, await take(lagging, 3)]).toEqual([["end"], ["one", "end", "end"]]);
    expect(log.isRead).toBe(false);
  });

  it("is an error for every reader, after the remaining events, if there is one", async () => {
    const log = createLog({ afterGap: "oldest" });
    push(log, "one");
    const reader = log.read();
    log.close(new Error("a bug"));
    log.close();
    for (const each of [reader, log.read()]) {
      expect(await take(each, 1)).toEqual(["one"]);
      await expect(each.next()).rejects.toThrow("a bug");
      expect(await take(each, 1)).toEqual(["end"]);
    }
  });

  it("of a reader comes when it leaves, even while it waits; the last one to leave is reported", async () => {
    let unread = 0;
    const log = createLog({
      onLastReaderGone: () => {
        unread += 1;
      },
    });
    const [first, second] = [log.read(), log.read()];
    const waiting = take(first, 1);
    expect(await first.return?.()).toEqual({ done: true, value: undefined });
    expect([await waiting, log.isRead, unread]).toEqual([["end"], true, 0]);
    push(log, "one");
    for await (const { event } of second) {
      expect(event).toEqual({ type: "text", text: "one" });
      break;
    }
    expect(await take(second, 1)).toEqual(["end"]);
    await second.return?.();
    expect([log.isRead, unread]).toEqual([false, 1]);
  });
});

describe("the producer", () => {
  it("need not wait while readers keep up or there are none", () => {
    const log = createLog();
    push(log, "one", "two", "three");
    expect(log.waitForReaders(0, never)).toBeUndefined();
    log.read();
    push(log, "four");
    expect([log.waitForReaders(1, never), log.waitForReaders(0, AbortSignal.abort())]).toEqual([undefined, undefined]);
  });

  it("waits for the slowest reader, and goes on when it has read or left, or the log is closed", async () => {
    const log = createLog();
    const [slow, fast] = [log.read(), log.read()];
    push(log, "one", "two");
    await take(fast, 2);
    const room = log.waitForReaders(1, never);
    expect(await hasSettled(room ?? Promise.resolve())).toBe(false);
    await take(slow, 1);
    await room;
    push(log, "three");
    const untilLeft = log.waitForReaders(1, never);
    await slow.return?.();
    await untilLeft;
    const untilClosed = log.waitForReaders(0, never);
    log.close();
    await untilClosed;
  });

  it("goes on when its signal is aborted", async () => {
    const log = createLog();
    log.read();
    push(log, "one");
    const stop = new AbortController();
    const room = log.waitForReaders(0, stop.signal);
    expect(await hasSettled(room ?? Promise.resolve())).toBe(false);
    stop.abort();
    await room;
  });
});
