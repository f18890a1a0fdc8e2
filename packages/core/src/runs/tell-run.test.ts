import { expect, it } from "vitest";
import type { RunEvent } from "../domain/run.ts";
import { createRunTeller } from "./tell-run.ts";

const begun = (id: string): RunEvent => ({
  type: "call-changed",
  call: {
    id,
    scope: "agent",
    server: "s",
    toolName: "echo",
    shownName: "echo",
    arguments: {},
    startedAt: "2026-01-01T00:00:00.000Z",
    status: "pending",
  },
});

const ended = (callId: string): RunEvent => ({
  type: "call-result",
  callId,
  outcome: {
    callId,
    shownName: "echo",
    durationMs: 1,
    status: "success",
    result: { content: [{ type: "text", text: "s3cret" }], isError: false },
  },
  text: "s3cret",
});

const failed = (callId: string): RunEvent => ({
  type: "call-result",
  callId,
  outcome: {
    callId,
    shownName: "echo",
    durationMs: 1,
    status: "error",
    failure: { ending: "cancelled", message: "s3cret" },
  },
  text: "s3cret",
});

it("F2 what cannot be redacted is told without its texts, and only if readers wait for it", () => {
  const told: RunEvent[] = [];
  const teller = createRunTeller(
    (text) => text,
    (event) => void told.push(event),
  );
  for (const id of ["a", "b", "over"]) teller.push(begun(id));
  teller.push(ended("over"));
  told.length = 0;

  const answered = { type: "approval-answered", callId: "b", answer: "deny" } as const;
  const late = [ended("a"), answered, failed("b"), { type: "text", text: "s3cret" } as const];
  for (const event of [...late, ended("a"), ended("over"), begun("c"), ended("c")]) teller.pushBlind(event);
  expect(told).toEqual([
    {
      type: "call-result",
      callId: "a",
      outcome: {
        callId: "a",
        shownName: "echo",
        durationMs: 1,
        status: "success",
        result: { content: [{ type: "text", text: "[redacted]" }], isError: false },
      },
      text: "[redacted]",
    },
    answered,
    {
      type: "call-result",
      callId: "b",
      outcome: {
        callId: "b",
        shownName: "echo",
        durationMs: 1,
        status: "error",
        failure: { ending: "cancelled", message: "[redacted]" },
      },
      text: "[redacted]",
    },
  ]);
});
