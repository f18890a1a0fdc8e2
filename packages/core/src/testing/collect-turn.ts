import type { AssistantMessage } from "../domain/message.ts";
import type { ModelEvent } from "../ports/model.ts";

type Part = AssistantMessage["parts"][number];

/** Collects a turn's events into the message, with vendor marks, that the next request must contain. */
export function collectTurn(events: readonly ModelEvent[]): AssistantMessage {
  const parts: Part[] = [];
  let open: "text" | "thought" | undefined;
  for (const event of events) {
    if (event.type === "usage" || event.type === "ended") continue;
    if (event.type === "call") {
      parts.push(event.call);
      open = undefined;
      continue;
    }
    const last = open === event.type ? parts.pop() : undefined;
    const before = last !== undefined && last.type !== "call" ? last.text : "";
    const marked = event.vendor === undefined ? {} : { vendor: event.vendor };
    parts.push({ type: event.type, text: before + event.text, ...marked });
    open = event.vendor === undefined ? event.type : undefined;
  }
  return { role: "assistant", parts };
}
