import { describe, expect, it } from "vitest";
import { sampleCall } from "../testing/sample-call.ts";
import { type CallRow, fromCallRow, toCallRow } from "./call-row.ts";

describe("a row of the call log", () => {
  const row = { ...toCallRow(sampleCall()), late_answer_at: null };

  it("becomes the call again", () => {
    expect(fromCallRow(row)).toStrictEqual(sampleCall());
  });

  it("tells of a late answer", () => {
    const at = "2026-08-01T10:00:05.000Z";
    expect(fromCallRow({ ...row, late_answer_at: at })).toStrictEqual({ ...sampleCall(), lateAnswerAt: at });
  });

  it("keeps the whole of a text with a NUL in it, and shows where it was", () => {
    expect(toCallRow(sampleCall({ error: "half\0other half" })).error).toBe("half\uFFFDother half");
  });

  it.each<[string, Partial<CallRow>]>([
    ["arguments", { arguments: "{" }],
    ["arguments", { arguments: "[1]" }],
    ["ending", { ending: "bored" }],
    ["result", { result: "nope" }],
    ["result", { result: "null" }],
    ["result", { result: '{"content":{},"isError":false}' }],
    ["result", { result: '{"content":[{"text":"no type"}],"isError":false}' }],
    ["result", { result: '{"content":[]}' }],
    ["result", { result: '{"content":[],"isError":false,"meta":1}' }],
  ])("is refused by its id when its %s is damaged: %j", (column, damage) => {
    expect(() => fromCallRow({ ...row, ...damage })).toThrow(
      expect.objectContaining({
        code: "damaged-row",
        message:
          `The call "call-1" cannot be read: the column ${column} of its row is damaged. ` +
          "Restore the file from a copy, or remove that row from the table calls.",
      }),
    );
  });
});
