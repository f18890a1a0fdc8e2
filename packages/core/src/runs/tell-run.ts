import type { CallOutcome } from "../domain/call.ts";
import type { RunEvent } from "../domain/run.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { createEventRedactor, type EventRedactor } from "./redact-events.ts";

/** Tells a run's readers what happens in it, without secrets. */
export interface RunTeller extends EventRedactor {
  /** For a run that is ending because an event could not be redacted: tells only what ends something they were told of. */
  pushBlind(event: RunEvent): void;
}

type CallResult = Extract<RunEvent, { type: "call-result" }>;

export function createRunTeller(redact: Redactor, announce: (event: RunEvent) => void): RunTeller {
  /** The shown names of the calls whose end readers wait for, by id. */
  const open = new Map<string, string>();
  const redactor = createEventRedactor(redact, (event) => {
    if (event.type === "call-changed" && event.call.status === "pending") open.set(event.call.id, event.call.shownName);
    if (event.type === "call-result") open.delete(event.callId);
    announce(event);
  });
  return {
    ...redactor,
    pushBlind(event) {
      // These hold no text.
      if (event.type === "approval-answered" || event.type === "question-answered") announce(event);
      if (event.type !== "call-result") return;
      const shownName = open.get(event.callId);
      open.delete(event.callId);
      if (shownName !== undefined) announce(withoutTexts(event, shownName));
    },
  };
}

const HIDDEN = "[redacted]";

/** The end that was recorded for the call, without any text of its server. */
function withoutTexts({ type, callId, outcome }: CallResult, shownName: string): CallResult {
  const { durationMs } = outcome;
  const known = { callId, shownName, durationMs };
  const hidden: CallOutcome =
    outcome.status === "success"
      ? { ...known, status: "success", result: { content: [{ type: "text", text: HIDDEN }], isError: false } }
      : { ...known, status: "error", failure: { ending: outcome.failure.ending, message: HIDDEN } };
  return { type, callId, outcome: hidden, text: HIDDEN };
}
