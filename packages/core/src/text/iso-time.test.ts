import { expect, it } from "vitest";
import { isoTime } from "./iso-time.ts";

it("writes each moment as itself, whichever was asked for before", () => {
  const moments = [0, 1, 1, 1_790_000_000_123, 0];
  expect(moments.map(isoTime)).toEqual([
    "1970-01-01T00:00:00.000Z",
    "1970-01-01T00:00:00.001Z",
    "1970-01-01T00:00:00.001Z",
    "2026-09-21T14:13:20.123Z",
    "1970-01-01T00:00:00.000Z",
  ]);
});
