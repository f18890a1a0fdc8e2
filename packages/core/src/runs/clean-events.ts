import type { RunEvent } from "../domain/run.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { redactJson } from "../secrets/redact.ts";
import { createPieceRedactor } from "../secrets/redact-pieces.ts";

/** Takes a run's events one by one and tells those that can be told by now. */
export interface EventCleaner {
  push(event: RunEvent): void;
  /** Tells what is left when nothing follows. */
  end(): void;
}

/**
 * Strikes secrets out of events: people type them into prompts and models repeat them, also in pieces that hold none of
 * them whole. The run itself goes on with what was said.
 */
export function createEventCleaner(redact: Redactor, tell: (event: RunEvent) => void): EventCleaner {
  const pieces = { text: createPieceRedactor(redact), thought: createPieceRedactor(redact) };
  /** What is being said: only of this may something be held back. */
  let open: keyof typeof pieces | undefined;

  function say(type: keyof typeof pieces, text: string): void {
    if (text !== "") tell({ type, text });
  }

  function end(): void {
    if (open !== undefined) say(open, pieces[open].end());
    open = undefined;
  }

  return {
    end,
    push(event) {
      const { type } = event;
      if (type === "text" || type === "thought") {
        if (open !== type) end();
        open = type;
        return say(type, pieces[type].push(event.text));
      }
      // It is told in the middle of what the model says, and ends nothing.
      if (type !== "usage") end();
      tell(isClean(event) ? event : redactJson(redact, event));
    },
  };
}

/** Made by the call path, which strikes out what it tells; identities in it must stay what they are. */
function isClean({ type }: RunEvent): boolean {
  return type.startsWith("approval-") || type.startsWith("question-") || type === "call-progressed";
}
