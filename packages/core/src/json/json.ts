export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A JSON Schema document exactly as a server sent it. Never rewritten: models, people and validators all see the same object. */
export type JsonSchema = JsonObject;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Serializes with sorted keys at every depth, so that equal values give equal texts. Used wherever data is hashed. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  // Concatenates instead of joining arrays: every tool of every list goes through here, and the arrays would cost more.
  let members = "";
  if (Array.isArray(value)) {
    for (const item of value) members += `${members === "" ? "" : ","}${canonicalJson(item ?? null)}`;
    return `[${members}]`;
  }
  for (const key of sortedKeys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (member !== undefined) members += `${members === "" ? "" : ","}${quote(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** Matches texts in which no character needs escaping. */
const PLAIN_TEXT = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

function quote(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") < key) ? keys : keys.sort();
}
