import { describe, expect, it } from "vitest";
import { reconnectWaitMs } from "./pace/reconnect-wait.ts";
import { parseRetryAfter } from "./refusal.ts";

describe("Retry-After", () => {
  const now = Date.UTC(2026, 10, 16, 8, 0, 0);

  it.each([
    ["0", 0],
    ["7", 7000],
    [" 120 ", 120_000],
    ["Mon, 16 Nov 2026 08:00:30 GMT", 30_000],
    ["Monday, 16-Nov-26 08:00:30 GMT", 30_000],
    ["Mon Nov 16 08:00:30 2026", 30_000],
    ["Mon, 16 Nov 2026 08:00:00 GMT", 0],
  ])("%j is a wait", (value, waitMs) => {
    expect(parseRetryAfter(value, now)).toBe(waitMs);
  });

  it.each(["86400", "99999999999999999999", "Tue, 17 Nov 2026 08:00:00 GMT"])("%j is cut to an hour", (value) => {
    expect(parseRetryAfter(value, now)).toBe(3_600_000);
  });

  it.each([
    null,
    "",
    "-5",
    "1.5",
    "0x10",
    "soon",
    "5 s",
    "2026-11-16T09:00:00Z",
    "Mon, 16 Nov 2026 07:59:59 GMT",
    "Mon, 99 Nov 2026 08:00:30 GMT",
  ])("%j is ignored", (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });
});

describe("the wait before a stream is opened again", () => {
  const [least, most] = [0, 0.999];

  it.each([
    [undefined, 1000],
    [0, 1000],
    [999, 1000],
    [2000, 2000],
    [60_000, 60_000],
    [99_999_999_999, 60_000],
    [Number.POSITIVE_INFINITY, 60_000],
  ])("for a server that asks for %s ms is at least %i ms and at most 60 s", (askedMs, waitMs) => {
    expect(reconnectWaitMs({ askedMs, failures: 0, random: least })).toBe(waitMs);
    expect(reconnectWaitMs({ askedMs, failures: 0, random: most })).toBeLessThanOrEqual(60_000);
  });

  it("grows with every stream that ended, up to a minute, with random jitter", () => {
    const waits = Array.from({ length: 40 }, (_, failures) => reconnectWaitMs({ failures, random: least }));
    for (const [index, wait] of waits.entries()) {
      const before = waits[index - 1] ?? 0;
      expect(wait).toBeGreaterThanOrEqual(before);
      expect(reconnectWaitMs({ failures: index, random: most })).toBeGreaterThan(wait);
    }
    expect(waits.slice(0, 3)).toEqual([1000, 1500, 2250]);
    expect(waits.at(-1)).toBeGreaterThan(50_000);
    expect(reconnectWaitMs({ failures: 5000, random: most })).toBeLessThanOrEqual(60_000);
  });
});
