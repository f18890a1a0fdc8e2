import { expect, it } from "vitest";
import type { RunEvent } from "../domain/run.ts";
import { createRedactor } from "../secrets/redact.ts";
import { createEventRedactor } from "./redact-events.ts";

const SECRET = "s3cr3t-value";
const text = (content: string): RunEvent => ({ type: "text", text: content });
const thought = (content: string): RunEvent => ({ type: "thought", text: content });
const usage: RunEvent = { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } };
const trimmed: RunEvent = { type: "context-trimmed", messages: 1 };

function redactAll(...events: readonly RunEvent[]): readonly RunEvent[] {
  const emitted: RunEvent[] = [];
  const redactor = createEventRedactor(createRedactor([SECRET]), (event) => emitted.push(event));
  for (const event of events) redactor.push(event);
  redactor.end();
  return emitted;
}

it("passes events without secrets on unchanged, piece by piece", () => {
  const events = [text("It "), text("is "), thought("Hm."), usage, trimmed, text("done.")];
  expect(redactAll(...events)).toEqual(events);
});

it("redacts a secret that comes in pieces, even with a usage event between them", () => {
  const emitted = redactAll(text("It is s3c"), usage, text("r3t-"), text("value."));
  expect(emitted).toEqual([text("It is "), usage, text("[redacted].")]);
});

it("emits text that was held back before any other event, and at the end", () => {
  expect(redactAll(text("It is s3c"), trimmed)).toEqual([text("It is "), text("s3c"), trimmed]);
  expect(redactAll(text("It is s3c"), thought("s3cr"))).toEqual([text("It is "), text("s3c"), thought("s3cr")]);
});

it("redacts the events of calls and of the end of a run", () => {
  const end: RunEvent = { type: "run-ended", runId: "r", end: { reason: "not-started", message: `No ${SECRET}` } };
  expect(redactAll(end)).toEqual([{ ...end, end: { reason: "not-started", message: "No [redacted]" } }]);
});
