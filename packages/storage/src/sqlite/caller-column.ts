import { type Caller, DOORS, type DoorName, isJsonObject } from "@tacklebox/core";
import { isOptional, isText } from "./stored-value.ts";

/** Many calls have the same few callers, which nobody changes: each is turned into text once. */
const texts = new WeakMap<Caller, string>();

export function toCallerText(caller: Caller | undefined): string | null {
  if (caller === undefined) return null;
  const known = texts.get(caller);
  if (known !== undefined) return known;
  const text = JSON.stringify(caller);
  texts.set(caller, text);
  return text;
}

/** Undefined when the value is no caller. */
export function toCaller(value: unknown): Caller | undefined {
  if (!isJsonObject(value)) return undefined;
  const { door, client, sessionId, principal } = value;
  if (!isDoor(door)) return undefined;
  if (!isOptional(client, isText) || !isOptional(sessionId, isText) || !isOptional(principal, isText)) return undefined;
  return {
    door,
    ...(client !== undefined && { client }),
    ...(sessionId !== undefined && { sessionId }),
    ...(principal !== undefined && { principal }),
  };
}

function isDoor(value: unknown): value is DoorName {
  return DOORS.some((door) => door === value);
}
