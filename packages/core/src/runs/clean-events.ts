import { type Redactor, redactJson } from "../domain/redact.ts";
import { createPieceRedactor, type PieceRedactor } from "../domain/redact-pieces.ts";
import type { RunEvent } from "../domain/run.ts";

/** Takes a run's events one by one and gives those that can be told by now. */
export interface EventCleaner {
  push(event: RunEvent): readonly RunEvent[];
  /** What is left when nothing follows. */
  end(): readonly RunEvent[];
}

interface Spoken {
  readonly type: "text" | "thought";
  readonly pieces: PieceRedactor;
}

const NOTHING: readonly RunEvent[] = [];

/**
 * Strikes secrets out of events: people type them into prompts and models repeat them, also in pieces that hold none of
 * them whole. The run itself goes on with what was said.
 */
export function createEventCleaner(redact: Redactor): EventCleaner {
  let open: Spoken | undefined;

  function finish(): readonly RunEvent[] {
    const text = open?.pieces.end() ?? "";
    const told: readonly RunEvent[] = open === undefined || text === "" ? NOTHING : [{ type: open.type, text }];
    open = undefined;
    return told;
  }

  return {
    end: finish,
    push(event) {
      if (event.type === "text" || event.type === "thought") {
        const before = open?.type === event.type ? NOTHING : finish();
        open ??= { type: event.type, pieces: createPieceRedactor(redact) };
        const text = open.pieces.push(event.text);
        return text === "" ? before : [...before, { type: event.type, text }];
      }
      const clean = isClean(event) ? event : redactJson(redact, event);
      // It is told in the middle of what the model says, and ends nothing.
      return event.type === "usage" ? [clean] : [...finish(), clean];
    },
  };
}

/** Made by the call path, which strikes out what it tells; identities in it must stay what they are. */
function isClean({ type }: RunEvent): boolean {
  return type.startsWith("approval-") || type.startsWith("question-") || type === "call-progressed";
}
