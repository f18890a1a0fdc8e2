import type { Caller, CallRecord } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { sampleCall } from "../testing/sample-call.ts";
import { type CallRow, fromCallRow, toCallRow } from "./call-row.ts";

describe("a row of the call log", () => {
  const row = { ...toCallRow(sampleCall()), late_answer_at: null };

  it("is converted back into the call", () => {
    expect(fromCallRow(row)).toStrictEqual(sampleCall());
  });

  it("keeps the time of a late answer", () => {
    const at = "2026-08-01T10:00:05.000Z";
    expect(fromCallRow({ ...row, late_answer_at: at })).toStrictEqual({ ...sampleCall(), lateAnswerAt: at });
  });

  it.each<Partial<CallRecord>>([
    { caller: { door: "cli" } },
    { caller: { door: "acp", client: "half\0other half", sessionId: "s", principal: "" } },
    { status: "success", times: { personMs: 0, slotMs: 0, runMs: 0 } },
    { status: "error", sent: true, times: { personMs: 1, slotMs: 2, runMs: 3 } },
    { status: "error", sent: false },
  ])("keeps who called, where the time went and whether it was sent: %j", (changes) => {
    const call = sampleCall(changes);
    expect(fromCallRow({ ...toCallRow(call), late_answer_at: null })).toStrictEqual(call);
  });

  it("has whole milliseconds", () => {
    const times = { personMs: 0.4, slotMs: 1.5, runMs: 1e9 + 0.2 };
    expect(toCallRow(sampleCall({ times }))).toMatchObject({ person_ms: 0, slot_ms: 2, run_ms: 1e9 });
  });

  it("serializes a caller once, however many calls it makes", () => {
    let read = 0;
    const caller: Caller = {
      get door() {
        read += 1;
        return "web" as const;
      },
    };
    const texts = [1, 2, 3].map((number) => toCallRow(sampleCall({ id: `call-${number}`, caller })).caller);
    expect([texts, read]).toEqual([Array(3).fill('{"door":"web"}'), 1]);
  });

  it("keeps all of a text with a NUL in it, and marks where it was", () => {
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
    ["caller", { caller: "{" }],
    ["caller", { caller: "null" }],
    ["caller", { caller: '"cli"' }],
    ["caller", { caller: "{}" }],
    ["caller", { caller: '{"door":"window"}' }],
    ["caller", { caller: '{"door":"acp","client":1}' }],
    ["caller", { caller: '{"door":"acp","sessionId":null}' }],
    ["caller", { caller: '{"door":"acp","principal":{}}' }],
    ["person_ms", { slot_ms: 1, run_ms: 1 }],
    ["slot_ms", { person_ms: 1, run_ms: 1 }],
    ["run_ms", { person_ms: 0, slot_ms: 0 }],
    ["sent", { sent: 2 }],
  ])("is refused, with its id, if its %s is damaged: %j", (column, damage) => {
    expect(() => fromCallRow({ ...row, ...damage })).toThrow(
      expect.objectContaining({
        code: "damaged-row",
        message:
          `The call "call-1" cannot be read: the column ${column} of its row is damaged. ` +
          "Restore the file from a backup, or delete that row from the table calls.",
      }),
    );
  });
});
