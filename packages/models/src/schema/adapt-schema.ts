import { isJsonObject, type Json, type JsonObject, type JsonSchema } from "@tacklebox/core";
import type { ApiStyle } from "../vendors/vendor.ts";
import { appendToDescription, objectIn, textsIn } from "./members.ts";

const adapted = new WeakMap<ApiStyle, WeakMap<JsonSchema, JsonSchema>>();

/**
 * Adapts a tool's schema to what an API accepts. Vendors check definitions before the model sees them, and refuse the
 * whole request for one bad tool. Only guidance is lost, since arguments are checked against the original. The original
 * is not changed; each is adapted once.
 */
export function adaptSchema(schema: JsonSchema, style: ApiStyle): JsonSchema {
  const ready = adapted.get(style) ?? new WeakMap<JsonSchema, JsonSchema>();
  adapted.set(style, ready);
  const before = ready.get(schema);
  if (before !== undefined) return before;
  const after = toSentSchema(schema, style);
  ready.set(schema, after);
  return after;
}

function toSentSchema(schema: JsonSchema, style: ApiStyle): JsonSchema {
  const root = withoutTopKeywords(flattenRoot(objectIn(modernise(schema, 0)), 0));
  const sent = style.adaptSchema?.(root) ?? root;
  return { ...sent, type: "object", properties: objectIn(sent.properties) };
}

/** No vendor accepts these at the top level; what they express is merged into plain properties first. */
const TOP_KEYWORDS: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "id", "$ref", "oneOf", "anyOf", "allOf", "enum", "const", "not"],
  ...["if", "then", "else", "dependentSchemas", "dependencies"],
]);

function withoutTopKeywords(root: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(root).filter(([keyword]) => !TOP_KEYWORDS.has(keyword)));
}

const MAX_ROOT_DEPTH = 8;

/** Merges the root's references and combinations into one set of properties. */
function flattenRoot(root: JsonObject, depth: number, definitions: JsonObject = root): JsonObject {
  if (depth > MAX_ROOT_DEPTH) return root;
  const flatten = (branch: Json) => flattenRoot(objectIn(branch), depth + 1, definitions);
  const referred = typeof root.$ref === "string" ? lookUp(root.$ref, definitions) : undefined;
  const start = referred === undefined ? root : mergeAll(root, flatten(referred));
  const together = branchesOf(root.allOf).map(flatten).reduce(mergeAll, start);
  return [root.oneOf, root.anyOf].reduce<JsonObject>((merged, branches) => {
    const choices = branchesOf(branches).map(flatten);
    return choices.length === 0 ? merged : mergeChoices(merged, choices);
  }, together);
}

function mergeAll(one: JsonObject, other: JsonObject): JsonObject {
  const required = [...new Set([...textsIn(one.required), ...textsIn(other.required)])];
  return { ...other, ...one, properties: joinProperties(one, other), ...(required.length > 0 ? { required } : {}) };
}

/** Any property of any choice may be given; only what every choice requires is required. */
function mergeChoices(root: JsonObject, choices: readonly JsonObject[]): JsonObject {
  const [first, ...rest] = choices.map((choice) => textsIn(choice.required));
  const always = (first ?? []).filter((name) => rest.every((names) => names.includes(name)));
  const required = [...new Set([...textsIn(root.required), ...always])];
  const properties = choices.reduce<JsonObject>((merged, choice) => ({ properties: joinProperties(merged, choice) }), {
    properties: objectIn(root.properties),
  });
  const sets = choices.map((choice) => textsIn(choice.required)).filter((names) => names.length > 0);
  const hint = sets.length > 1 ? `Give one of these sets: ${sets.map((names) => names.join(" + ")).join("; ")}.` : "";
  return { ...appendToDescription(root, hint), ...properties, ...(required.length > 0 ? { required } : {}) };
}

function joinProperties(one: JsonObject, other: JsonObject): JsonObject {
  const joined = new Map(Object.entries(objectIn(one.properties)));
  for (const [name, schema] of Object.entries(objectIn(other.properties))) {
    const before = joined.get(name);
    joined.set(name, before === undefined || isSame(before, schema) ? schema : eitherOf(before, schema));
  }
  return Object.fromEntries(joined);
}

function eitherOf(before: Json, schema: Json | undefined): Json {
  const choices = isJsonObject(before) && Object.keys(before).length === 1 ? branchesOf(before.anyOf) : [];
  if (choices.some((choice) => isSame(choice, schema))) return before;
  return { anyOf: [...(choices.length > 0 ? choices : [before]), schema ?? {}] };
}

function lookUp(reference: string, definitions: JsonObject): Json | undefined {
  if (!reference.startsWith("#/")) return undefined;
  const names = reference.slice(2).split("/").map(unescapePointer);
  return names.reduce<Json | undefined>((place, name) => (isJsonObject(place) ? place[name] : undefined), definitions);
}

function unescapePointer(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Deeper than any real tool, but bounded, so that a schema cannot overflow the stack. */
const MAX_SCHEMA_DEPTH = 64;

/** Rewrites what old drafts and sloppy generators produce into what today's validators accept, at every depth. */
function modernise(schema: Json | undefined, depth: number): Json {
  if (schema === true || depth > MAX_SCHEMA_DEPTH) return {};
  if (schema === false) return { not: {} };
  if (!isJsonObject(schema)) return {};
  const result = new Map<string, Json>();
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const rewritten = moderniseKeyword(keyword, value, schema, depth);
    if (rewritten !== undefined) result.set(keyword, rewritten);
  }
  const required = requiredOf(schema);
  if (required.length > 0) result.set("required", required);
  if (result.get("type") === "array" && !result.has("items")) result.set("items", {});
  return Object.fromEntries(result);
}

const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);
const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(["oneOf", "anyOf", "allOf", "prefixItems"]);
const SCHEMAS: ReadonlySet<string> = new Set(["not", "contains", "propertyNames", "if", "then", "else"]);

function moderniseKeyword(keyword: string, value: Json, schema: JsonObject, depth: number): Json | undefined {
  const below = (inner: Json | undefined) => modernise(inner, depth + 1);
  if (keyword === "required") return undefined;
  if (keyword === "type") return knownTypes(value);
  if (keyword === "items") return Array.isArray(value) ? anyItem(value.map(below)) : below(value);
  if (keyword === "exclusiveMinimum") return bound(value, schema.minimum);
  if (keyword === "exclusiveMaximum") return bound(value, schema.maximum);
  if (keyword === "additionalProperties") return typeof value === "boolean" ? value : below(value);
  if (keyword === "description" || keyword === "title") return typeof value === "string" ? value : undefined;
  if (MAPS_OF_SCHEMAS.has(keyword)) return mapMembers(objectIn(value), below);
  if (LISTS_OF_SCHEMAS.has(keyword)) return Array.isArray(value) && value.length > 0 ? value.map(below) : undefined;
  if (SCHEMAS.has(keyword)) return below(value);
  return value;
}

/** Draft 4 has `exclusiveMinimum: true` next to `minimum`. */
function bound(value: Json, limit: Json | undefined): Json | undefined {
  if (typeof value === "number") return value;
  return value === true && typeof limit === "number" ? limit : undefined;
}

/** Turns a tuple into one schema for all items, which is all that OpenAI accepts. */
function anyItem(items: readonly Json[]): Json {
  const distinct = items.filter((item, index) => items.findIndex((other) => isSame(item, other)) === index);
  return distinct.length === 1 ? (distinct[0] ?? {}) : distinct.length === 0 ? {} : { anyOf: distinct };
}

const TYPES: ReadonlySet<unknown> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

function knownTypes(value: Json): Json | undefined {
  if (!Array.isArray(value)) return TYPES.has(value) ? value : undefined;
  const known = value.filter((type: Json) => TYPES.has(type));
  return known.length > 1 ? known : known[0];
}

/** Draft 3 and sloppy generators put `required: true` in the property itself. */
function requiredOf(schema: JsonObject): string[] {
  const properties = Object.entries(objectIn(schema.properties));
  const inside = properties.flatMap(([name, member]) =>
    isJsonObject(member) && member.required === true ? [name] : [],
  );
  return [...new Set([...textsIn(schema.required), ...inside])];
}

function branchesOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function mapMembers(members: JsonObject, change: (member: Json | undefined) => Json): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
