import { isJsonObject, type JsonObject } from "../domain/json.ts";

const MAX_SCHEMA_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 32;
const MAX_SUBSCHEMAS = 2_000;

const TYPE_NAMES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);
const SCHEMA_MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const SCHEMA_LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SCHEMAS = [
  "not",
  "if",
  "then",
  "else",
  "additionalProperties",
  "additionalItems",
  "unevaluatedProperties",
  "unevaluatedItems",
  "contains",
  "propertyNames",
];

/**
 * Says what makes a schema unusable, or undefined when it can be used. Schemas are a server's word:
 * their size, depth and number of parts are bounded here, before anything walks them again (T27).
 */
export function schemaProblem(schema: unknown): string | undefined {
  const size = JSON.stringify(schema)?.length ?? 0;
  if (size > MAX_SCHEMA_CHARACTERS) return `is ${size} characters long; at most ${MAX_SCHEMA_CHARACTERS} are accepted`;
  return walk(schema, "", 0, { parts: 0 });
}

function walk(schema: unknown, at: string, depth: number, seen: { parts: number }): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isJsonObject(schema)) return `${at || "/"} is not a schema`;
  if (depth > MAX_DEPTH) return `${at} is nested more than ${MAX_DEPTH} levels deep`;
  seen.parts += 1;
  if (seen.parts > MAX_SUBSCHEMAS) return `has more than ${MAX_SUBSCHEMAS} parts`;
  const own = ownProblem(schema, at);
  if (own !== undefined) return own;
  for (const [where, part] of subschemas(schema)) {
    const problem = walk(part, `${at}/${where}`, depth + 1, seen);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function ownProblem(schema: JsonObject, at: string): string | undefined {
  const { type, required, pattern } = schema;
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.every((name) => typeof name === "string" && TYPE_NAMES.has(name)))
    return `${at}/type is not a JSON Schema type`;
  // Draft 4 wrote `required: true` on the property itself; servers still do, and it does no harm.
  if (required !== undefined && typeof required !== "boolean" && !isStringList(required))
    return `${at}/required is not a list of names`;
  if (schema.enum !== undefined && !Array.isArray(schema.enum)) return `${at}/enum is not a list`;
  if (pattern !== undefined && !isPattern(pattern)) return `${at}/pattern is not a regular expression`;
  return SCHEMA_MAPS.filter((key) => schema[key] !== undefined && !isJsonObject(schema[key]))
    .map((key) => `${at}/${key} is not a map of schemas`)
    .concat(
      SCHEMA_LISTS.filter((key) => schema[key] !== undefined && !Array.isArray(schema[key])).map(
        (key) => `${at}/${key} is not a list of schemas`,
      ),
    )[0];
}

/** Every part of a schema that is itself a schema, with where it is. */
export function* subschemas(schema: JsonObject): Generator<readonly [string, unknown]> {
  for (const key of SCHEMA_MAPS) {
    const map = schema[key];
    if (isJsonObject(map)) for (const [name, part] of Object.entries(map)) yield [`${key}/${name}`, part];
  }
  for (const key of [...SCHEMA_LISTS, "items"]) {
    const list = schema[key];
    if (Array.isArray(list)) for (const [index, part] of list.entries()) yield [`${key}/${index}`, part];
  }
  for (const key of [...SCHEMAS, "items"]) {
    const part = schema[key];
    if (part !== undefined && !Array.isArray(part)) yield [key, part];
  }
}

function isStringList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    return isPatternWithoutUnicode(value);
  }
}

// Many published schemas escape characters that the `u` flag refuses to see escaped.
function isPatternWithoutUnicode(value: string): boolean {
  try {
    new RegExp(value);
    return true;
  } catch {
    return false;
  }
}
