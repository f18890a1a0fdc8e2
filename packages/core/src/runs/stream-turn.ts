import type { AssistantMessage, CallPart, TextPart, ThoughtPart, VendorMark } from "../domain/message.ts";
import { endlessTurn, MAX_TURN_CHARACTERS, ModelError } from "../domain/model.ts";
import type { RunEvent } from "../domain/run.ts";
import type { Model, ModelEvent, ModelRequest, TurnEnd } from "../ports/model.ts";

/** One model turn, complete or as far as it came. */
export interface Turn {
  readonly message: AssistantMessage;
  readonly end: TurnEnd | ModelError;
}

/**
 * Yields the model's output as it arrives and returns the whole turn. A failure of the model is a value, so that the
 * text that came before it is kept.
 */
export async function* streamTurn(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, Turn> {
  const parts: (TextPart | ThoughtPart | CallPart)[] = [];
  let end: TurnEnd = "stop";
  let written = 0;
  try {
    for await (const event of model.stream(request, signal)) {
      written += charactersOf(event);
      // Leaving the loop this way also ends the request.
      if (written > MAX_TURN_CHARACTERS) throw endlessTurn(model.summary.name);
      if (event.type === "text" || event.type === "thought") {
        addText(parts, event);
        if (event.text !== "") yield { type: event.type, text: event.text };
      }
      if (event.type === "call") parts.push(event.call);
      if (event.type === "usage") yield { type: "usage", usage: event.usage };
      if (event.type === "ended") end = event.reason;
    }
    return { message: { role: "assistant", parts }, end };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { message: { role: "assistant", parts: parts.filter(({ type }) => type === "text") }, end: error };
  }
}

/** Not the arguments of calls: these arrive in one piece, so whoever reads them from the network has to bound them. */
function charactersOf(event: ModelEvent): number {
  return event.type === "text" || event.type === "thought" ? event.text.length : 0;
}

interface Delta {
  readonly type: "text" | "thought";
  readonly text: string;
  readonly vendor?: VendorMark;
}

/** Joins consecutive deltas of one kind into one part; a vendor's mark ends the part. */
function addText(parts: (TextPart | ThoughtPart | CallPart)[], { type, text, vendor }: Delta): void {
  const last = parts.at(-1);
  if (last === undefined || last.type === "call" || last.type !== type || last.vendor !== undefined) {
    parts.push({ type, text, ...(vendor !== undefined && { vendor }) });
    return;
  }
  parts[parts.length - 1] = { type, text: last.text + text, ...(vendor !== undefined && { vendor }) };
}
