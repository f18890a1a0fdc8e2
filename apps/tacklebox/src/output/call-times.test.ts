import { describe, expect, it } from "vitest";
import { formatCallTimes } from "./call-times.ts";

describe("the times of a call", () => {
  it.each([
    [{ personMs: 0, slotMs: 0, runMs: 4 }, "4 ms"],
    [{ personMs: 0, slotMs: 0, runMs: 0 }, "0 ms"],
    [{ personMs: 11_600, slotMs: 0, runMs: 200 }, "0.2 s, after 11.6 s waiting for you"],
    [{ personMs: 0, slotMs: 3_000, runMs: 1_234 }, "1.2 s, after 3.0 s waiting for a slot"],
    [{ personMs: 500, slotMs: 250, runMs: 5 }, "5 ms, after 0.5 s waiting for you and 0.3 s waiting for a slot"],
    [{ personMs: 99, slotMs: 99, runMs: 5 }, "5 ms"],
  ])("tell running from waiting: %j", (times, text) => expect(formatCallTimes(times)).toBe(text));

  it("of one that was never sent are only its waits", () => {
    expect(formatCallTimes({ personMs: 2_100, slotMs: 0, runMs: 0 }, false)).toBe("after 2.1 s waiting for you");
    expect(formatCallTimes({ personMs: 0, slotMs: 0, runMs: 0 }, false)).toBe("0 ms");
  });
});
