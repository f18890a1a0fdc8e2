import type { RunEvent } from "../domain/run.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { redactJson } from "../secrets/redact.ts";
import { createPieceRedactor } from "../secrets/redact-pieces.ts";

/** Takes a run's events one by one and emits each as soon as it is known to hold no secret. */
export interface EventRedactor {
  push(event: RunEvent): void;
  /** Emits what was held back; call it when no event follows. */
  end(): void;
}

/**
 * Redacts secrets in events: people type them into prompts, and models repeat them, sometimes split over several pieces
 * of text. Only the events are redacted; the run itself goes on with the original texts.
 */
export function createEventRedactor(redact: Redactor, emit: (event: RunEvent) => void): EventRedactor {
  const pieces = { text: createPieceRedactor(redact), thought: createPieceRedactor(redact) };
  /** The kind of text being streamed: only text of this kind can be held back. */
  let open: keyof typeof pieces | undefined;

  function emitText(type: keyof typeof pieces, text: string): void {
    if (text !== "") emit({ type, text });
  }

  function end(): void {
    if (open !== undefined) emitText(open, pieces[open].end());
    open = undefined;
  }

  return {
    end,
    push(event) {
      const { type } = event;
      if (type === "text" || type === "thought") {
        if (open !== type) end();
        open = type;
        return emitText(type, pieces[type].push(event.text));
      }
      // Usage is reported in the middle of a text and does not end it.
      if (type !== "usage") end();
      emit(isRedacted(event) ? event : redactJson(redact, event));
    },
  };
}

/** These events come from the call path, which has redacted them already; ids in them must not change. */
function isRedacted({ type }: RunEvent): boolean {
  return type.startsWith("approval-") || type.startsWith("question-") || type === "call-progressed";
}
