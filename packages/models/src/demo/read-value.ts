import { findInexactNumbers, type Json } from "@tacklebox/core";
import { quotedIn } from "./mask-quoted.ts";
import { isPlace, type Kind, type Parameter } from "./parameters.ts";

/** A value, and how many characters of the text it took. */
export interface ReadValue {
  readonly value: Json;
  readonly length: number;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?![\p{L}\p{N}])/iu;
const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
};

/**
 * Reads the value a text begins with, if it fits the parameter. A text value runs to the end unless quoted or a path.
 */
export function readValue(parameter: Parameter, text: string): ReadValue | undefined {
  const quoted = quotedIn(text)[0];
  if (quoted?.at === 0) {
    const value = toKind(parameter, quoted.inner);
    return value === undefined ? undefined : { value, length: quoted.whole.length };
  }
  if (parameter.choices.length > 0) return readChoice(parameter, text);
  // For a text parameter, JSON is a text like any other.
  if (parameter.kind !== "text" && /^[[{]/.test(text)) return readJson(text);
  const words = parameter.kind === "list" ? text.trim() : leadingWords(parameter, text);
  const value = words === "" ? undefined : toKind(parameter, words);
  return value === undefined ? undefined : { value, length: words.length };
}

/** Picks the longest match: a choice may be several words, and another may be its beginning. */
function readChoice({ choices }: Parameter, text: string): ReadValue | undefined {
  const spelt = text.toLowerCase();
  const fitting = choices.filter((choice) => {
    const words = String(choice).toLowerCase();
    return words !== "" && spelt.startsWith(words) && !/^[\p{L}\p{N}_]/u.test(text.slice(words.length));
  });
  const [value] = fitting.sort((a, b) => String(b).length - String(a).length);
  return value === undefined ? undefined : { value, length: String(value).length };
}

function leadingWords(parameter: Parameter, text: string): string {
  if (parameter.kind === "number" || parameter.kind === "integer") return NUMBER.exec(text)?.[0] ?? "";
  const takesAll = parameter.kind === "text" && !isPlace(parameter);
  return takesAll ? withoutTail(text) : (/^\S+/.exec(text)?.[0] ?? "").replace(/[,;.?!]+$/, "");
}

/** `hello and` before the next argument means `hello`. */
function withoutTail(text: string): string {
  return text.replace(/(?:\s*[,;]|\s+(?:and|with))?\s*$/i, "");
}

function toKind(parameter: Parameter, words: string): Json | undefined {
  const { choices, kind, member } = parameter;
  if (choices.length > 0) return choices.find((choice) => String(choice).toLowerCase() === words.toLowerCase());
  if (kind === "list") return toList(member, words);
  return toScalar(kind, words);
}

function toList(member: Kind, words: string): Json | undefined {
  const parts = words.split(",").map((part) => part.trim());
  const values = parts.filter((part) => part !== "").map((part) => toScalar(member, part));
  return values.every((value) => value !== undefined) && values.length > 0 ? values : undefined;
}

function toScalar(kind: Kind, words: string): Json | undefined {
  if (kind === "text") return words;
  if (kind === "boolean") {
    const word = words.toLowerCase();
    return Object.hasOwn(BOOLEANS, word) ? BOOLEANS[word] : undefined;
  }
  if (kind !== "number" && kind !== "integer") return undefined;
  const number = NUMBER.exec(words)?.[0] === words ? Number(words) : Number.NaN;
  if (!Number.isFinite(number) || (kind === "integer" && !Number.isInteger(number))) return undefined;
  if (findInexactNumbers(words.replace(/^\+/, "")).length > 0) return undefined;
  return number;
}

/** Reads the JSON value a text begins with. */
export function readJson(text: string): ReadValue | undefined {
  const length = lengthOfJson(text);
  try {
    const read = text.slice(0, length);
    const value: Json = JSON.parse(read);
    return findInexactNumbers(read).length > 0 ? undefined : { value, length };
  } catch {
    return undefined;
  }
}

function lengthOfJson(text: string): number {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString && character === "\\") at += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === "{" || character === "[")) depth += 1;
    else if (!inString && (character === "}" || character === "]")) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
