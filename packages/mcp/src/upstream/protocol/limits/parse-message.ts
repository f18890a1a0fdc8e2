import {
  ConnectionError,
  findInexactNumbers,
  isJsonObject,
  type JsonObject,
  mayHoldInexactNumbers,
  outlineOf,
  textNestsDeeper,
} from "@tacklebox/core";

/**
 * How deep one message may be nested, in both directions. Far more than real ones are, and few enough that whatever
 * traverses, stores or shows them later cannot overflow its stack.
 */
export const MAX_MESSAGE_DEPTH = 500;

export function tooDeep(): ConnectionError {
  const text = `The server's answer is nested more than ${MAX_MESSAGE_DEPTH} levels deep; ask the tool for less.`;
  return new ConnectionError("oversize", text);
}

/** A message nested too deeply to be parsed. Only what tells whom it concerns has been read. */
export class DeepMessage {
  readonly id: string | number | undefined;
  readonly kind: "answer" | "question" | "notification";
  readonly #text: string;

  constructor({ id, method }: JsonObject, text: string) {
    this.#text = text;
    this.id = typeof id === "string" || typeof id === "number" ? id : undefined;
    if (method === undefined) this.kind = "answer";
    else this.kind = this.id === undefined ? "notification" : "question";
  }

  /** The message without what is nested too deeply. */
  pruned(): JsonObject {
    const message = parseJson(outlineOf(this.#text, MAX_MESSAGE_DEPTH));
    return isJsonObject(message) ? message : {};
  }

  /** An error answer that takes the place of this answer, or that answers this question. */
  toErrorAnswer(): { readonly jsonrpc: "2.0"; readonly id: string | number; readonly error: RpcError } | undefined {
    if (this.id === undefined) return undefined;
    const text = this.kind === "question" ? `Nested more than ${MAX_MESSAGE_DEPTH} levels deep` : tooDeep().message;
    return { jsonrpc: "2.0", id: this.id, error: { code: INVALID_REQUEST, message: text } };
  }
}

type RpcError = { readonly code: number; readonly message: string };
const INVALID_REQUEST = -32600;

/** Undefined if the text is not nested too deeply, or is not JSON. */
export function deepMessageIn(text: string): DeepMessage | undefined {
  if (!textNestsDeeper(text, MAX_MESSAGE_DEPTH)) return undefined;
  const outline = parseJson(outlineOf(text));
  return outline === undefined ? undefined : new DeepMessage(isJsonObject(outline) ? outline : {}, text);
}

/**
 * Parses what a server sent; returns a DeepMessage for what is nested too deeply. Undefined if it is not JSON; valid
 * JSON never parses to undefined.
 */
export function parseMessage(text: string): unknown {
  if (textNestsDeeper(text, MAX_MESSAGE_DEPTH)) return deepMessageIn(text);
  const message = parseJson(text);
  // Looked for in the text first, which takes no time. Most of what is found there are digits in a string.
  if (mayHoldInexactNumbers(text) && isJsonObject(message) && isJsonObject(message.result))
    return holdsUnsafeNumber(message.result) ? noteInexactNumbers(message, message.result, text) : message;
  return message;
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The key in a result's `_meta` for a note from Tacklebox about numbers that could not be kept as they were sent. */
const NUMBERS_MARK = "tacklebox/inexactNumbers";
const OUR_MARKS = "tacklebox/";
/** Which notes are ours: a server may write the same key. */
const notedHere = new WeakSet<JsonObject>();
const MAX_NOTED = 5;
const RESULT = "/result";

/** A result's `_meta` without what would pass for a note from Tacklebox but was written by the server. */
export function withoutForgedMarks(meta: JsonObject): JsonObject {
  const isForged = (key: string) => key.startsWith(OUR_MARKS) && !(key === NUMBERS_MARK && notedHere.has(meta));
  if (!Object.keys(meta).some(isForged)) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !isForged(key)));
}

/** Whether there is a number that may have been altered by parsing; only then is the whole text worth reading. */
function holdsUnsafeNumber(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsUnsafeNumber);
  for (const key in value) if (holdsUnsafeNumber(Reflect.get(value, key))) return true;
  return false;
}

function noteInexactNumbers(message: JsonObject, result: JsonObject, text: string): JsonObject {
  const inexact = findInexactNumbers(text, MAX_NOTED + 1).filter(({ path }) => path.startsWith(`${RESULT}/`));
  if (inexact.length === 0) return message;
  const shown = inexact
    .slice(0, MAX_NOTED)
    .map(({ path, written }) => `${written.slice(0, 40)} at ${path.slice(RESULT.length)}`);
  const more = inexact.length > MAX_NOTED ? ", and more" : "";
  const note = `The server sent numbers that could not be kept exactly: ${shown.join(", ")}${more}`;
  const meta = isJsonObject(result._meta) ? result._meta : {};
  const noted = { ...meta, [NUMBERS_MARK]: note };
  notedHere.add(noted);
  return { ...message, result: { ...result, _meta: noted } };
}
