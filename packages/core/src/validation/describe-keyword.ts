import { isJsonObject } from "../json/json.ts";
import { nearestName } from "../text/nearest-name.ts";

type Members = Readonly<Record<string, unknown>>;
/** Returns undefined if the keyword's value is not of the expected type. */
type Describe = (wanted: unknown, found: unknown) => string | undefined;

/** Says why `found` does not satisfy a keyword of `schema`; undefined for keywords that have no text here. */
export function describeKeyword(keyword: string, schema: Members, found: unknown): string | undefined {
  return TEXTS.get(keyword)?.(schema[keyword], found);
}

/** `types` may combine the types that several alternatives accept. */
export function describeTypes(types: readonly unknown[], found: unknown): string | undefined {
  const names = [...new Set(types)].map((type) => TYPE_NAMES.get(String(type)));
  if (names.length === 0 || names.includes(undefined)) return undefined;
  const wanted = names.join(" or ");
  // For 1.5, "must be a whole number, not a number" would be wrong.
  if (typeof found === "number")
    return types.includes("integer") ? `must be ${wanted}` : `must be ${wanted}, not a number`;
  return `must be ${wanted}, not ${TYPE_NAMES.get(typeOf(found)) ?? "this"}`;
}

const TYPE_NAMES = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["integer", "a whole number"],
  ["boolean", "a boolean"],
  ["object", "an object"],
  ["array", "an array"],
  ["null", "null"],
]);

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const TEXTS: ReadonlyMap<string, Describe> = new Map<string, Describe>([
  ["type", (wanted, found) => describeTypes([wanted].flat(), found)],
  ["required", (wanted, found) => missing(textsIn(wanted), found)],
  ["dependentRequired", describeDependents],
  ["dependencies", describeDependents],
  ["enum", describeEnum],
  ["const", (wanted) => `must be ${shorten(JSON.stringify(wanted))}`],
  ["minimum", (wanted) => withNumber(wanted, (limit) => `must be at least ${limit}`)],
  ["maximum", (wanted) => withNumber(wanted, (limit) => `must be at most ${limit}`)],
  ["exclusiveMinimum", (wanted) => withNumber(wanted, (limit) => `must be more than ${limit}`)],
  ["exclusiveMaximum", (wanted) => withNumber(wanted, (limit) => `must be less than ${limit}`)],
  ["multipleOf", (wanted) => withNumber(wanted, (step) => `must be a multiple of ${step}`)],
  ["minLength", (wanted) => withNumber(wanted, (least) => atLeast(least, "character"))],
  ["maxLength", (wanted) => withNumber(wanted, (most) => `must have at most ${count(most, "character")}`)],
  ["minItems", (wanted) => withNumber(wanted, (least) => atLeast(least, "item"))],
  ["maxItems", (wanted) => withNumber(wanted, (most) => `must have at most ${count(most, "item")}`)],
  ["minProperties", (wanted) => withNumber(wanted, (least) => atLeast(least, "property"))],
  ["maxProperties", (wanted) => withNumber(wanted, (most) => `must have at most ${count(most, "property")}`)],
  ["uniqueItems", () => "must not have the same item twice"],
  ["pattern", (wanted) => `must match the pattern ${shorten(String(wanted))}`],
  ["format", (wanted) => `must have the format ${shorten(String(wanted))}`],
  [
    "maxContains",
    (wanted) =>
      withNumber(wanted, (most) => `must contain at most ${count(most, "item")} of the kind the tool's schema names`),
  ],
  ["contains", () => "must contain an item of the kind the tool's schema asks for"],
  ["not", () => "must not be of the kind the tool's schema excludes"],
  ["anyOf", () => "fits none of the alternatives in the tool's schema"],
  ["oneOf", () => "must fit exactly one of the alternatives in the tool's schema"],
  ["false", () => "is not allowed"],
]);

function describeEnum(wanted: unknown, found: unknown): string | undefined {
  if (!Array.isArray(wanted) || wanted.length === 0) return undefined;
  // Only as many as can fit into the text are serialized.
  const written = wanted.slice(0, MAX_SUGGESTIONS).map((choice) => JSON.stringify(choice));
  const choices = shorten(written.join(", "));
  const names = textsIn(wanted).slice(0, MAX_SUGGESTIONS);
  return `must be one of: ${choices}${typeof found === "string" ? hint(found, names) : ""}`;
}

/** Comparing a name with thousands of others would take long. */
const MAX_SUGGESTIONS = 200;

function describeDependents(wanted: unknown, found: unknown): string | undefined {
  if (!isJsonObject(wanted) || !isJsonObject(found)) return undefined;
  const texts = Object.entries(wanted).flatMap(([name, needed]) => {
    if (!Object.hasOwn(found, name)) return [];
    const lacking = missing(textsIn(needed), found);
    return lacking === undefined ? [] : [`${lacking}, which "${name}" needs`];
  });
  return texts.length === 0 ? undefined : texts.join("; ");
}

function missing(names: readonly string[], found: unknown): string | undefined {
  const absent = isJsonObject(found) ? names.filter((name) => !Object.hasOwn(found, name)) : [];
  return absent.length === 0 ? undefined : `is missing ${shorten(absent.map((name) => `"${name}"`).join(", "))}`;
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function withNumber(value: unknown, describe: (value: number) => string): string | undefined {
  return typeof value === "number" ? describe(value) : undefined;
}

type Counted = "character" | "item" | "property";

function atLeast(least: number, what: Counted): string {
  return least === 1 ? "must not be empty" : `must have at least ${count(least, what)}`;
}

function count(amount: number, what: Counted): string {
  if (amount === 1) return `1 ${what}`;
  return what === "property" ? `${amount} properties` : `${amount} ${what}s`;
}

/** Stays within the sentence, because others follow it. */
export function hint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : ` (did you mean "${shorten(nearest)}"?)`;
}

/** Limits the length of texts from schemas, which servers write. */
export function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
