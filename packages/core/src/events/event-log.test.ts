import { describe, expect, it } from "vitest";
import type { Gap, Numbered } from "../domain/events.ts";
import { EventLog, type EventLogOptions } from "./event-log.ts";
import { estimateBytes } from "./weigh.ts";

interface Said {
  readonly type: "said";
  readonly text: string;
}

const AT = "2026-01-01T00:00:00.000Z";
const never = new AbortController().signal;

function createLog(options: Partial<EventLogOptions> = {}): EventLog<Said> {
  const now = () => Date.parse(AT);
  return new EventLog({ name: "log", most: 3, mostWeight: 10_000, afterGap: "newest", now, ...options });
}

function say(log: EventLog<Said>, ...texts: readonly string[]): void {
  for (const text of texts) log.push({ type: "said", text });
}

/** What the next reads give, in short: the text, or `gap`. */
async function take(reader: AsyncIterator<Numbered<Said | Gap>>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for (let reads = 0; reads < count; reads += 1) {
    const { done, value } = await reader.next();
    if (done === true) taken.push("end");
    else taken.push(value.event.type === "gap" ? "gap" : value.event.text);
  }
  return taken;
}

/** Whether it has settled by the time that everything else which can go on has gone on. */
async function hasSettled(work: Promise<unknown>): Promise<boolean> {
  const later = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([work.then(() => true), later]);
}

describe("numbered events", () => {
  it("are told with an id and a time to everybody who reads, from where each began", async () => {
    const log = createLog();
    const early = log.read();
    say(log, "one");
    const late = log.read();
    say(log, "two");
    expect(await early.next()).toEqual({
      done: false,
      value: { id: "log.1", at: AT, event: { type: "said", text: "one" } },
    });
    expect([await take(early, 1), await take(late, 1)]).toEqual([["two"], ["two"]]);
  });

  it("wait for a reader that is elsewhere, and wake one that waits", async () => {
    const log = createLog();
    const reader = log.read();
    const waiting = take(reader, 1);
    expect(await hasSettled(waiting)).toBe(false);
    say(log, "one", "two");
    expect([await waiting, await take(reader, 1)]).toEqual([["one"], ["two"]]);
  });

  it("are gone on with after an id, also the last one", async () => {
    const log = createLog();
    expect(log.last).toBe("log.0");
    say(log, "one", "two");
    const { last } = log;
    say(log, "three");
    expect(await take(log.read("log.0"), 3)).toEqual(["one", "two", "three"]);
    expect([last, await take(log.read(last), 1)]).toEqual(["log.2", ["three"]]);
    const atTheEnd = log.read("log.3");
    say(log, "four");
    expect(await take(atTheEnd, 1)).toEqual(["four"]);
  });

  it("are the ones from the beginning where that is what a log is for", async () => {
    const log = createLog({ afterGap: "oldest" });
    say(log, "one", "two");
    expect(await take(log.read(), 2)).toEqual(["one", "two"]);
  });
});

describe("a reader whose place is gone", () => {
  it("is told of a gap once, and goes on with what is new", async () => {
    const log = createLog();
    const reader = log.read();
    say(log, "one", "two", "three", "four");
    const { value: gap } = await reader.next();
    expect(gap).toEqual({ id: "log.4", at: AT, event: { type: "gap" } });
    say(log, "five", "six");
    expect(await take(reader, 2)).toEqual(["five", "six"]);
    expect(await take(log.read(gap?.id), 2)).toEqual(["five", "six"]);
  });

  it("goes on with the oldest that is kept where a log is for that", async () => {
    const log = createLog({ afterGap: "oldest" });
    say(log, "one", "two", "three", "four");
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
      say(log, "one", "two");
      const reader = log.read(id);
      const first = await reader.next();
      expect(first.value).toMatchObject({ id: "log.2", event: { type: "gap" } });
      say(log, "three");
      expect(await take(reader, 1)).toEqual(["three"]);
    },
  );

  it("finds a gap where the log was broken off, and none after that", async () => {
    const log = createLog();
    say(log, "one", "two");
    const before = log.last;
    log.breakOff();
    const after = log.last;
    say(log, "three");
    expect([await take(log.read(before), 1), await take(log.read("log.1"), 1)]).toEqual([["gap"], ["gap"]]);
    expect(await take(log.read(after), 1)).toEqual(["three"]);
  });
});

describe("what is kept", () => {
  it("is no heavier than it may be, and always the newest", async () => {
    const weight = estimateBytes({ type: "said", text: "x".repeat(20) });
    const log = createLog({ most: 100, mostWeight: 2 * weight, afterGap: "oldest" });
    const text = (name: string) => name.padEnd(20, "x");
    say(log, text("one"), text("two"), text("three"));
    expect(await take(log.read(), 3)).toEqual(["gap", text("two"), text("three")]);
    say(log, "y".repeat(1_000));
    expect(await take(log.read(), 2)).toEqual(["gap", "y".repeat(1_000)]);
    say(log, "z");
    expect(await take(log.read(), 2)).toEqual(["gap", "z"]);
  });

  it.each([["text"], [""], [7], [null], [true], [[1, "a", []]], [{ a: { b: ["c"] }, d: null }]])(
    "%j weighs about what it is as JSON",
    (value) => {
      expect(Math.abs(estimateBytes(value) - JSON.stringify(value).length)).toBeLessThanOrEqual(8);
    },
  );
});

describe("the end", () => {
  it("comes after what is left, and to whoever waits", async () => {
    const log = createLog();
    const behind = log.read();
    say(log, "one");
    const waiting = take(log.read(), 1);
    log.close();
    expect([await waiting, await take(behind, 3)]).toEqual([["end"], ["one", "end", "end"]]);
    expect(log.isRead).toBe(false);
  });

  it("is an error for every reader, after what is left, where there is one", async () => {
    const log = createLog({ afterGap: "oldest" });
    say(log, "one");
    const reader = log.read();
    log.close(new Error("a bug"));
    log.close();
    for (const each of [reader, log.read()]) {
      expect(await take(each, 1)).toEqual(["one"]);
      await expect(each.next()).rejects.toThrow("a bug");
      expect(await take(each, 1)).toEqual(["end"]);
    }
  });

  it("of a reader is when it leaves, also while it waits; the last one to leave is said", async () => {
    let unread = 0;
    const log = createLog({
      onUnread: () => {
        unread += 1;
      },
    });
    const [first, second] = [log.read(), log.read()];
    const waiting = take(first, 1);
    expect(await first.return?.()).toEqual({ done: true, value: undefined });
    expect([await waiting, log.isRead, unread]).toEqual([["end"], true, 0]);
    say(log, "one");
    for await (const { event } of second) {
      expect(event).toEqual({ type: "said", text: "one" });
      break;
    }
    expect(await take(second, 1)).toEqual(["end"]);
    await second.return?.();
    expect([log.isRead, unread]).toEqual([false, 1]);
  });
});

describe("whoever tells", () => {
  it("need not wait while readers keep up, or nobody reads", () => {
    const log = createLog();
    say(log, "one", "two", "three");
    expect(log.room(0, never)).toBeUndefined();
    log.read();
    say(log, "four");
    expect([log.room(1, never), log.room(0, AbortSignal.abort())]).toEqual([undefined, undefined]);
  });

  it("waits for the slowest, and goes on when it has read, has left, or nothing follows", async () => {
    const log = createLog();
    const [slow, fast] = [log.read(), log.read()];
    say(log, "one", "two");
    await take(fast, 2);
    const room = log.room(1, never);
    expect(await hasSettled(room ?? Promise.resolve())).toBe(false);
    await take(slow, 1);
    await room;
    say(log, "three");
    const untilLeft = log.room(1, never);
    await slow.return?.();
    await untilLeft;
    const untilClosed = log.room(0, never);
    log.close();
    await untilClosed;
  });

  it("goes on when it is told to stop", async () => {
    const log = createLog();
    log.read();
    say(log, "one");
    const stop = new AbortController();
    const room = log.room(0, stop.signal);
    expect(await hasSettled(room ?? Promise.resolve())).toBe(false);
    stop.abort();
    await room;
  });
});
