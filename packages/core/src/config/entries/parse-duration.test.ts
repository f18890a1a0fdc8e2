import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "./parse-duration.ts";

const FORMS = "must be a duration such as PT30S, 00:00:30 or 30 (a plain number is seconds)";

describe("parseDuration", () => {
  it.each([
    ["P0DT0H0M30S", 30_000],
    ["P0DT0H1M0S", 60_000],
    ["PT30S", 30_000],
    ["PT0.5S", 500],
    ["P1W", 604_800_000],
    ["P1DT2H", 93_600_000],
    ["00:01:30", 90_000],
    ["00:00:00.25", 250],
    [30, 30_000],
    [0.5, 500],
  ])("S4.6 reads %s", (value, ms) => {
    expect(parseDuration(value)).toEqual({ kind: "ok", ms });
  });

  it.each(["30", "-30", "1.5"])("S4.6 refuses the text %s, which has no unit", (value) => {
    const problem = "must be a number without quotes, or a duration such as PT30S: text needs a unit";
    expect(parseDuration(value)).toEqual({ kind: "invalid", problem });
  });

  it.each([
    "",
    "soon",
    "pt30s",
    "PT",
    "P",
    "PT30S x",
    "PT1e3S",
    "1:2:3",
    "00:60:00",
    null,
    true,
    [],
    {},
    `PT${"9".repeat(60)}S`,
  ])("refuses %s, which is not a duration", (value) => {
    expect(parseDuration(value)).toEqual({ kind: "invalid", problem: FORMS });
  });

  it.each([0, -1, Number.NaN, "PT0S", "-PT5S", "P-1D", "00:00:00", "PT0.0001S"])(
    "S4.8 refuses %s, which is not positive",
    (value) => {
      expect(parseDuration(value)).toEqual({ kind: "invalid", problem: "must be longer than zero" });
    },
  );

  it.each([2_147_484, Number.POSITIVE_INFINITY, "P25D", "999999:00:00", "PT99999999999999999999S"])(
    "refuses %s, which is longer than a timer can wait",
    (value) => {
      expect(parseDuration(value)).toEqual({ kind: "invalid", problem: "must be at most 24 days" });
    },
  );

  it.each(["P1Y", "P1M", "P0M"])("refuses %s, whose length varies", (value) => {
    const problem = "must not use years or months, whose length varies: use days, hours, minutes or seconds";
    expect(parseDuration(value)).toEqual({ kind: "invalid", problem });
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "PT0S"],
    [500, "PT0.5S"],
    [30_000, "PT30S"],
    [60_000, "PT1M"],
    [5_400_000, "PT1H30M"],
    [86_400_000, "P1D"],
    [93_601_500, "P1DT2H1.5S"],
  ])("writes %d ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("writes what parseDuration reads back", () => {
    for (let ms = 1; ms < 2_147_483_647; ms = ms * 3 + 7) {
      expect(parseDuration(formatDuration(ms))).toEqual({ kind: "ok", ms });
    }
  });
});
