import { expect, it } from "vitest";
import type { RunEvent } from "../domain/run.ts";
import { createRedactor } from "../secrets/redact.ts";
import { createEventCleaner } from "./clean-events.ts";

const SECRET = "s3cr3t-value";
const text = (said: string): RunEvent => ({ type: "text", text: said });
const thought = (said: string): RunEvent => ({ type: "thought", text: said });
const usage: RunEvent = { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } };
const trimmed: RunEvent = { type: "context-trimmed", messages: 1 };

function clean(...events: readonly RunEvent[]): readonly RunEvent[] {
  const told: RunEvent[] = [];
  const cleaner = createEventCleaner(createRedactor([SECRET]), (event) => told.push(event));
  for (const event of events) cleaner.push(event);
  cleaner.end();
  return told;
}

it("passes on what holds no secret as it came, piece by piece", () => {
  const events = [text("It "), text("is "), thought("Hm."), usage, trimmed, text("done.")];
  expect(clean(...events)).toEqual(events);
});

it("strikes out a secret that comes in pieces, also with the usage told between them", () => {
  const said = clean(text("It is s3c"), usage, text("r3t-"), text("value."));
  expect(said).toEqual([text("It is "), usage, text("[redacted].")]);
});

it("tells what was held back before anything else of the run, and at its end", () => {
  expect(clean(text("It is s3c"), trimmed)).toEqual([text("It is "), text("s3c"), trimmed]);
  expect(clean(text("It is s3c"), thought("s3cr"))).toEqual([text("It is "), text("s3c"), thought("s3cr")]);
});

it("strikes out what calls and the end of a run say", () => {
  const end: RunEvent = { type: "run-ended", runId: "r", end: { reason: "not-started", message: `No ${SECRET}` } };
  expect(clean(end)).toEqual([{ ...end, end: { reason: "not-started", message: "No [redacted]" } }]);
});
