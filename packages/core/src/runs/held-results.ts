import { toResultText } from "../call/result-text.ts";
import type { CallOutcome } from "../domain/call.ts";

/** The texts of long results while a run lasts: a model may read on in them, and their records may keep only a part. */
export interface HeldResults {
  add(outcome: CallOutcome): void;
  find(callId: string): string | undefined;
}

/** As much as one result may have. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** `isKept` tells whether a record surely keeps a text of this length whole. When it is too much, the oldest go first. */
export function createHeldResults(isKept: (characters: number) => boolean): HeldResults {
  const texts = new Map<string, string>();
  let characters = 0;
  return {
    add(outcome) {
      const text = toResultText(outcome);
      if (isKept(text.length)) return;
      texts.set(outcome.callId, text);
      characters += text.length;
      for (const [id, oldest] of texts) {
        if (characters <= MAX_CHARACTERS) break;
        texts.delete(id);
        characters -= oldest.length;
      }
    },
    find: (callId) => texts.get(callId),
  };
}
