import { isJsonObject, type Json, type JsonObject } from "@tacklebox/core";
import { blankOut, maskQuoted, quotedIn } from "./mask-quoted.ts";
import { isFolder, isName, isPlace, type Parameter } from "./parameters.ts";
import { readJson, readValue } from "./read-value.ts";
import { isCommon } from "./words.ts";

export interface ArgumentRequest {
  readonly text: string;
  /** How the tool was identified: by its name, by words about it, or because we asked about it. */
  readonly by: "name" | "words" | "question";
  /** Where the words that identify the tool end. */
  readonly restAt: number;
  /** The result of the previous step, for `then echo it`. */
  readonly earlier?: string;
  /** The folder to use if none is named. */
  readonly here?: string;
}

export interface FilledArguments {
  readonly arguments: JsonObject;
  readonly missing: readonly Parameter[];
}

/** Extracts as many of a tool's arguments from a text as possible without understanding it. */
export function fillArguments(
  parameters: readonly Parameter[],
  request: ArgumentRequest,
  known: JsonObject = {},
): FilledArguments {
  const given = new Map<string, Json | undefined>(Object.entries(known));
  let left = takeJson(request.text, given);
  left = takeNamed(parameters, left, given);
  if (request.here === undefined) left = takeCalled(openOf(parameters, given), left, given);
  left = takeBare(openOf(parameters, given), left, given);
  const folder = openOf(parameters, given).find(isFolder);
  if (request.here !== undefined && folder !== undefined) given.set(folder.name, request.here);
  takeRest(openOf(parameters, given), left.slice(request.restAt), request, given);
  for (const { name, fallback } of openOf(parameters, given)) if (fallback !== undefined) given.set(name, fallback);
  return { arguments: Object.fromEntries(given), missing: openOf(parameters, given) };
}

type Given = Map<string, Json | undefined>;

function openOf(parameters: readonly Parameter[], given: Given): Parameter[] {
  return parameters.filter(({ name, required }) => required && !given.has(name));
}

/** `tool {"a": 1}` */
function takeJson(text: string, given: Given): string {
  const at = text.indexOf("{");
  const read = at < 0 ? undefined : readJson(text.slice(at));
  // After `name=` the object is that argument's value.
  if (read === undefined || !isJsonObject(read.value) || /[=:]\s*$/.test(text.slice(0, at))) return text;
  for (const [name, value] of Object.entries(read.value)) given.set(name, value);
  return blankOut(text, at, read.length);
}

interface Mention {
  readonly parameter: Parameter;
  readonly at: number;
  readonly valueAt: number;
  readonly strong: boolean;
}

/** `a=1 b=2`, `a: 1`, and in a sentence `city of Bern`. */
function takeNamed(parameters: readonly Parameter[], text: string, given: Given): string {
  const all = mentionsIn(maskQuoted(text), parameters).filter(({ parameter }) => !given.has(parameter.name));
  const strong = all.filter((mention) => mention.strong);
  // In a text with name=value pairs, other mentions of a name are just words.
  const mentions = strong.length > 0 ? strong : all.filter(isLikely);
  let left = text;
  for (const [index, { parameter, at, valueAt }] of mentions.entries()) {
    if (given.has(parameter.name)) continue;
    const read = readValue(parameter, text.slice(valueAt, mentions[index + 1]?.at));
    if (read === undefined) continue;
    given.set(parameter.name, read.value);
    left = blankOut(left, at, valueAt + read.length - at);
  }
  return left;
}

function mentionsIn(masked: string, parameters: readonly Parameter[]): Mention[] {
  const mentions = parameters.flatMap((parameter) => {
    // Only these may be escaped in a `u` pattern, and servers call parameters `first name`, `@type` or worse.
    const name = parameter.name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/[-_]/g, "[-_ ]");
    if (name === "") return [];
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])${name}(\\s*[=:]\\s*|\\s+(?:is|of)\\s+|\\s+)(?=\\S)`, "giu");
    return Array.from(masked.matchAll(pattern), ({ 0: whole, 1: mark = "", index }) => ({
      parameter,
      at: index,
      valueAt: index + whole.length,
      strong: /[=:]/.test(mark),
    }));
  });
  return mentions.sort((a, b) => a.at - b.at);
}

/** A parameter's name in a sentence may be just a word; it counts only if it hardly means anything else. */
function isLikely({ parameter: { name, kind, required } }: Mention): boolean {
  return kind === "number" || kind === "integer" || kind === "boolean" || (required && name.length > 2);
}

const PLACE = /^(?:[a-z][a-z0-9+.-]*:\/\/\S+|~?\.{0,2}\/\S*|[\w.-]+\/\S*|[\w-]+(?:\.[\w-]+)+|\.{1,2}|\.[\w-]+)$/i;

/** `a folder called trips` */
function takeCalled(open: readonly Parameter[], text: string, given: Given): string {
  const parameter = open.find((one) => isPlace(one) || isName(one));
  const found = /(?<![\p{L}\p{N}])(?:called|named)\s+(?=\S)/iu.exec(text);
  if (parameter?.kind !== "text" || found === null) return text;
  const [words] = found;
  const value = valuesIn(text.slice(found.index + words.length))[0];
  if (value === undefined || value.at > 0) return text;
  given.set(parameter.name, value.text);
  return blankOut(text, found.index, words.length + value.length);
}

/** Takes values without names, in the order of the text: quoted texts, numbers, paths, and words that are a choice. */
function takeBare(all: readonly Parameter[], text: string, given: Given): string {
  let left = takeChoices(all, text, given);
  const open = all.filter(({ name }) => !given.has(name));
  const take = (fits: (found: Found) => Json | undefined) => {
    for (const found of valuesIn(left)) {
      const value = fits(found);
      if (value === undefined) continue;
      left = blankOut(left, found.at, found.length);
      return value;
    }
    return undefined;
  };
  const places = valuesIn(left).filter((found) => PLACE.test(found.text));
  // `rename a.txt to b.txt`, whatever the two parameters are called.
  if (open.length > 1 && open.length === places.length && open.every(({ kind }) => kind === "text")) {
    for (const [at, { name }] of open.entries()) given.set(name, places[at]?.text);
    return left;
  }
  for (const parameter of open) {
    const value = parameter.kind === "list" ? takeList(parameter, take) : take((found) => bareValue(parameter, found));
    if (value !== undefined) given.set(parameter.name, value);
  }
  // A quoted text may be a path, unless another argument took it.
  for (const parameter of open.filter((one) => one.kind === "text" && isPlace(one) && !given.has(one.name))) {
    const value = take(({ text: quoted, isQuoted }) => (isQuoted ? quoted : undefined));
    if (value !== undefined) given.set(parameter.name, value);
  }
  return left;
}

/** Takes values that are one of a parameter's choices; a choice may be several words. */
function takeChoices(open: readonly Parameter[], text: string, given: Given): string {
  let left = text;
  for (const parameter of open) {
    if (parameter.choices.length === 0 || parameter.kind === "list") continue;
    for (const { index } of left.matchAll(/(?<![\p{L}\p{N}_-])(?=[\p{L}\p{N}])/gu)) {
      const read = readValue(parameter, left.slice(index));
      if (read === undefined) continue;
      given.set(parameter.name, read.value);
      left = blankOut(left, index, read.length);
      break;
    }
  }
  return left;
}

interface Found {
  readonly at: number;
  readonly length: number;
  readonly text: string;
  readonly isQuoted: boolean;
}

function valuesIn(text: string): Found[] {
  const quoted = quotedIn(text).map(({ at, whole, inner }) => ({
    at,
    length: whole.length,
    text: inner,
    isQuoted: true,
  }));
  const bare = Array.from(maskQuoted(text).matchAll(/[^\s,;()\ue000]+/g), ({ 0: word, index }) => {
    const trimmed = word.length > 1 ? word.replace(/[.?!:]+$/, "") : word;
    return { at: index, length: trimmed.length, text: trimmed, isQuoted: false };
  });
  return [...quoted, ...bare].sort((a, b) => a.at - b.at);
}

function bareValue(parameter: Parameter, { text, isQuoted }: Found): Json | undefined {
  const { kind, choices } = parameter;
  if (kind !== "text" || choices.length > 0) return readWhole(parameter, text);
  if (isPlace(parameter)) return PLACE.test(text) ? text : undefined;
  return isQuoted ? text : undefined;
}

function takeList(parameter: Parameter, take: (fits: (found: Found) => Json | undefined) => Json | undefined) {
  const one: Parameter = { ...parameter, kind: parameter.member, choices: [] };
  const values: Json[] = [];
  for (;;) {
    const value = take((found) => bareValue(one, found));
    if (value === undefined) return values.length > 0 ? values : undefined;
    values.push(value);
  }
}

function readWhole(parameter: Parameter, text: string): Json | undefined {
  if (parameter.kind === "object") return undefined;
  const read = readValue(parameter, text);
  return read?.length === text.length ? read.value : undefined;
}

const REFERENCES = new Set(["it", "that", "this", "them", "the result", "the answer", "this result", "that result"]);

/** If exactly one text argument is missing, the rest of the sentence is its value. */
function takeRest(open: readonly Parameter[], rest: string, { by, earlier }: ArgumentRequest, given: Given): void {
  const [parameter, second] = open;
  if (parameter?.kind !== "text" || parameter.choices.length > 0 || second !== undefined) return;
  const said = rest.trim().replace(/\s+/g, " ");
  if (earlier !== undefined && (said === "" || REFERENCES.has(said.toLowerCase().replace(/[.?!]$/, "")))) {
    given.set(parameter.name, earlier);
    return;
  }
  const value = TRIM_REST[by](said);
  // If the tool was identified by words, almost any word would pass for a file name.
  const isUnlikely = isPlace(parameter) && (by === "words" ? !PLACE.test(value) : /[\s=]/.test(value));
  if (value !== "" && !isUnlikely) given.set(parameter.name, value);
}

const TRIM_REST = {
  name: (said) => said.replace(/^(?:with|for|about|of|saying)\s+/i, ""),
  /** `What is the weather in Bern?` */
  words(said) {
    const words = said.replace(/\s*[?]+$/, "").split(" ");
    const first = words.findIndex((word) => !isCommon(word));
    return first < 0
      ? ""
      : words
          .slice(first)
          .join(" ")
          .replace(/^[:,]\s*/, "");
  },
  question: (said) => said,
} as const satisfies Record<ArgumentRequest["by"], (said: string) => string>;
