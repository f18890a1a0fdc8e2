import { isJsonObject, type Json } from "../json/json.ts";
import { nestsDeeper } from "../json/nesting.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { formsOf } from "./secret-forms.ts";
import { MIN_SECRET_LENGTH } from "./secret-length.ts";

/** Returns a redactor for the secrets in all their forms: as they are, URL-encoded, JSON-escaped and in base64. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = new Set(secrets.filter((secret) => secret !== "").flatMap(formsOf));
  if (forms.size === 0) return keepText;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const shortest = longestFirst.at(-1)?.length ?? 0;
  const pattern = longestFirst.map(escapePattern).join("|");
  const first = new RegExp(pattern);
  const every = new RegExp(pattern, "g");
  // Every key and text of every call goes through here, and hardly any holds a secret, so it is tested before it is
  // replaced.
  const redact = (text: string) =>
    text.length < shortest || !first.test(text) ? text : text.replace(every, "[redacted]");
  const beginnings = groupByBeginning(longestFirst);
  const numbers = new Set(secrets.filter(isLongNumber).map(Number));
  return Object.assign(redact, {
    isNumber: (value: number) => numbers.has(value),
    cutAt: (text: string) => cutBeforeOpenEnd(text, beginnings, every),
  });
}

/**
 * As a number, a secret loses its zeros at both ends: `000001` and `1.0000` are the number 1, which occurs everywhere. What
 * is left has to be as long as any other secret.
 */
function isLongNumber(secret: string): boolean {
  if (!/^\d+(\.\d+)?$/.test(secret)) return false;
  const significant = secret.includes(".") ? secret.replace(/\.?0+$/, "") : secret;
  return significant.replace(/^[0.]+/, "").replace(".", "").length >= MIN_SECRET_LENGTH;
}

/** Secrets by first character, so that at most positions of a text nothing needs to be compared. */
interface Beginnings {
  readonly longest: number;
  readonly forms: ReadonlyMap<string, readonly string[]>;
}

function groupByBeginning(longestFirst: readonly string[]): Beginnings {
  const forms = new Map<string, string[]>();
  for (const form of longestFirst) {
    const first = form.charAt(0);
    forms.set(first, [...(forms.get(first) ?? []), form]);
  }
  return { longest: longestFirst[0]?.length ?? 0, forms };
}

/**
 * Returns the start of the longest suffix that is the beginning of a secret; never a position inside a complete secret.
 */
function cutBeforeOpenEnd(text: string, beginnings: Beginnings, every: RegExp): number {
  let cut = openEnd(text, beginnings, 0);
  if (cut === text.length) return cut;
  for (const { index, 0: secret } of text.matchAll(every)) {
    const end = index + secret.length;
    if (index < cut && end > cut) cut = openEnd(text, beginnings, end);
  }
  return cut;
}

function openEnd(text: string, { longest, forms }: Beginnings, from: number): number {
  for (let at = Math.max(from, text.length - longest + 1); at < text.length; at += 1) {
    const begun = forms.get(text.charAt(at));
    if (begun?.some((form) => form.length > text.length - at && form.startsWith(text.slice(at)))) return at;
  }
  return text.length;
}

/**
 * Redacts every string of a JSON value, including keys, and every number that is a secret of digits. Returns a copy, or
 * the value itself if there was nothing to redact, which is nearly always the case.
 */
export function redactJson<T>(redact: Redactor, value: T): T {
  if (redact.idle ? !nestsDeeper(value, MAX_VALUE_DEPTH) : !holdsSecret(redact, value, 0)) return value;
  return redactValue(redact, value as Json, 0) as T;
}

function holdsSecret(redact: Redactor, value: unknown, depth: number): boolean {
  if (typeof value === "string") return redact(value) !== value;
  if (typeof value === "number") return redact.isNumber?.(value) === true;
  if (typeof value !== "object" || value === null) return false;
  if (depth >= MAX_VALUE_DEPTH) return true;
  if (Array.isArray(value)) return value.some((item) => holdsSecret(redact, item, depth + 1));
  // Avoids Object.keys, because every argument and result of every call goes through here.
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (redact(key) !== key || holdsSecret(redact, Reflect.get(value, key), depth + 1)) return true;
  }
  return false;
}

/** Deeper values cannot be traversed safely, and what was not traversed may hold a secret. */
const MAX_VALUE_DEPTH = 500;

function redactValue(redact: Redactor, value: Json, depth: number): Json {
  if (typeof value === "string") return redact(value);
  if (typeof value === "number") return redact.isNumber?.(value) === true ? "[redacted]" : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_VALUE_DEPTH) return "[redacted: nested too deeply]";
  if (!isJsonObject(value)) return value.map((item) => redactValue(redact, item, depth + 1));
  const members = new Map<string, Json>();
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members.set(freeKey(redact(key), members), redactValue(redact, member, depth + 1));
  }
  return Object.fromEntries(members);
}

// Two keys that were both redacted must not become one member.
function freeKey(key: string, members: ReadonlyMap<string, Json>): string {
  let free = key;
  for (let count = 2; members.has(free); count += 1) free = `${key} (${count})`;
  return free;
}

const keepText: Redactor = Object.assign((text: string) => text, { idle: true });

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
