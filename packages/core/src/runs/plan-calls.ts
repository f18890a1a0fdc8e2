import type { CallPart, Message } from "../domain/message.ts";
import { nestsDeeper } from "../json/nesting.ts";
import { MAX_ARGUMENTS_DEPTH } from "../validation/reserved-keys.ts";
import type { Turn } from "./stream-turn.ts";

/**
 * Prepares a turn for storing and for making its calls: every call gets the id its record will have. Only the text of
 * an unfinished turn is kept: its calls may be incomplete, and vendors refuse a mark without the part it belongs to.
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

/** Deeper arguments are refused anyway, and would overflow the stack of code that stores, shows or sends them. */
function toBounded(call: CallPart): CallPart {
  if (!nestsDeeper(call.arguments, MAX_ARGUMENTS_DEPTH)) return call;
  return { ...call, arguments: {}, unreadable: `they are nested more than ${MAX_ARGUMENTS_DEPTH} levels deep` };
}

/** Some model servers number the calls of each turn from the start; others refuse a conversation with duplicate ids. */
function freeId(id: string, used: Set<string>): string {
  let free = id;
  for (let count = 2; used.has(free); count += 1) free = `${id}_${count}`;
  used.add(free);
  return free;
}

function callIdsIn(message: Message): readonly string[] {
  return message.role === "assistant" ? message.parts.filter(isCall).map(({ id }) => id) : [];
}
