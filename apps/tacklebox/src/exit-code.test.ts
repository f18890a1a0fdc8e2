import { type CallOutcome, ENDINGS, type Ending, FAILURE_CODES } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { exitCodeOf, exitCodeOfFailure } from "./exit-code.ts";

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

  it("distinguishes failures of the engine: usage errors, failed calls, and an engine that cannot work at all", () => {
    const codes = FAILURE_CODES.map((code) => [code, exitCodeOfFailure({ code, message: "no" })]);
    const special = { conflict: 1, locked: 1, damaged: 1, unavailable: 1, invalid: 2, denied: 4, cancelled: 130 };
    expect(Object.fromEntries(codes)).toEqual({
      ...Object.fromEntries(FAILURE_CODES.map((code) => [code, 3])),
      ...special,
    });
  });
});
