import { type CallOutcome, ENDINGS, type Ending } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { exitCodeOf } from "./exit-code.ts";

const ended = (ending: Ending): CallOutcome => ({
  callId: "c",
  shownName: "t",
  durationMs: 1,
  status: "error",
  failure: { ending, message: "no" },
});

describe("exit codes", () => {
  it("is 0 for success", () => {
    const result = { content: [], isError: false };
    expect(exitCodeOf({ callId: "c", shownName: "t", durationMs: 1, status: "success", result })).toBe(0);
  });

  it("is 4 for denied, 130 for cancelled and 3 for every other ending", () => {
    const codes = Object.fromEntries(ENDINGS.map((ending) => [ending, exitCodeOf(ended(ending))]));
    const others = ENDINGS.filter((ending) => !["denied", "approval-expired", "cancelled"].includes(ending));
    expect(codes).toEqual({
      ...Object.fromEntries(others.map((ending) => [ending, 3])),
      denied: 4,
      "approval-expired": 4,
      cancelled: 130,
    });
  });
});
