import type { CallPart, Message } from "../domain/message.ts";
import { nestsDeeper } from "../json/nesting.ts";
import { DEEPEST_ARGUMENTS } from "../validation/reserved-keys.ts";
import type { Turn } from "./stream-turn.ts";

/**
 * A turn as it is kept and worked on: every call with the id its record will have. Of a turn that did not come to its end
 * only the text stays: a call may be incomplete, and vendors refuse a mark without what belonged to it.
 */
export function planCalls({ message, end }: Turn, before: readonly Message[], newId: () => string): Turn {
  const isWhole = end === "calls" || end === "stop";
  const used = isWhole && message.parts.some(isCall) ? new Set(before.flatMap(callIdsIn)) : new Set<string>();
  const parts = isWhole
    ? message.parts.map((part) =>
        isCall(part) ? { ...toBounded(part), id: freeId(part.id, used), callId: newId() } : part,
      )
    : message.parts.flatMap((part) => (part.type === "text" ? [{ type: part.type, text: part.text }] : []));
  return { message: { role: "assistant", parts }, end };
}

function isCall(part: { readonly type: string }): part is CallPart {
  return part.type === "call";
}

/** Deeper arguments are refused anyway, and would exhaust the stack of whoever keeps, shows or sends them. */
function toBounded(call: CallPart): CallPart {
  if (!nestsDeeper(call.arguments, DEEPEST_ARGUMENTS)) return call;
  return { ...call, arguments: {}, unreadable: `they are nested more than ${DEEPEST_ARGUMENTS} levels deep` };
}

/** Small servers number the calls of each turn anew, and others refuse a conversation in which two have one id. */
function freeId(id: string, used: Set<string>): string {
  let free = id;
  for (let count = 2; used.has(free); count += 1) free = `${id}_${count}`;
  used.add(free);
  return free;
}

function callIdsIn(message: Message): readonly string[] {
  return message.role === "assistant" ? message.parts.filter(isCall).map(({ id }) => id) : [];
}
