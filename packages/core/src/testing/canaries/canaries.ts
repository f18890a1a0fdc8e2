import { between, type Random } from "../seeded-random.ts";

/**
 * Every canary starts and ends with these, so that a part of one is found as well. Six characters are exactly eight in
 * base64, and lower case survives lower-casing.
 */
const HEAD = "cnry7x";
const TAIL = "9kfnix";
const MARKS: readonly string[] = [HEAD, TAIL, btoa(HEAD)];

const ALPHANUMERIC = Array.from("abcdefghijkmnpqrstuvwxyz23456789");
/** Characters that JSON, URLs and patterns escape, and that headers can carry. */
const ASCII = [...ALPHANUMERIC, ...Array.from("\"\\/%&+=?#'<>.*$()[]{}|^~:;,@!-_")];
const UNICODE = [...ASCII, "ä", "ß", "€", "🔑"];
const ANY = [...UNICODE, " ", "\n", "\t"];
const ALPHABETS = { alphanumeric: ALPHANUMERIC, ascii: ASCII, unicode: UNICODE, any: ANY };

export interface Canaries {
  /** Creates another canary from one of the alphabets, each of which includes the one before. */
  take(kind?: keyof typeof ALPHABETS): string;
  /** All canaries created so far. */
  readonly all: readonly string[];
}

/** Secrets that never occur in a text by chance. */
export function createCanaries(random: Random): Canaries {
  const all: string[] = [];
  return {
    all,
    take(kind = "alphanumeric") {
      const alphabet = ALPHABETS[kind];
      const middle = Array.from({ length: between(random, 6, 14) }, () => pick(random, alphabet)).join("");
      const canary = `${HEAD}${middle}${TAIL}`;
      all.push(canary);
      return canary;
    },
  };
}

/** Returns a canary in every form: as it is, JSON-escaped (with and without non-ASCII), URL-encoded and in base64. */
export function canaryForms(canary: string): readonly string[] {
  const escaped = JSON.stringify(canary).slice(1, -1);
  const ascii = escaped.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const bytes = Array.from(new TextEncoder().encode(canary), (byte) => String.fromCharCode(byte)).join("");
  return [canary, escaped, ascii, encodeURIComponent(canary), btoa(bytes)];
}

/**
 * Finds canaries in a value, in any form, and parts of them: returns a line for each text and key that holds one.
 * Every form of a canary contains a mark, and no mark is escaped in JSON.
 */
export function findCanaries(value: unknown): readonly string[] {
  const sent = JSON.stringify(value) ?? "";
  if (firstMark(sent) === undefined) return [];
  return textsWithPaths(value, "").flatMap(([path, text]) => {
    const at = firstMark(text);
    return at === undefined ? [] : [`${path}: ${text.slice(Math.max(0, at - 30), at + 50)}`];
  });
}

function firstMark(text: string): number | undefined {
  const places = MARKS.map((mark) => text.indexOf(mark)).filter((at) => at !== -1);
  return places.length === 0 ? undefined : Math.min(...places);
}

/** Returns every text and key of a JSON value. */
export function textsIn(value: unknown): readonly string[] {
  return textsWithPaths(value, "").map(([, text]) => text);
}

function textsWithPaths(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsWithPaths(item, `${path}/*`));
  return Object.entries(value).flatMap(([key, member]) => [
    [`${path}/`, key] as const,
    ...textsWithPaths(member, `${path}/${key}`),
  ]);
}

export function pick<T>(random: Random, among: readonly T[]): T {
  const found = among[between(random, 0, among.length - 1)];
  if (found === undefined) throw new Error("There is nothing to pick from");
  return found;
}

/** Cuts a text into pieces at random positions; some pieces are one character. */
export function cutText(random: Random, text: string): readonly string[] {
  const pieces: string[] = [];
  const longest = between(random, 1, 12);
  for (let at = 0; at < text.length; ) {
    const length = between(random, 1, longest);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}
