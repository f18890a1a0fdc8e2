import { isJsonObject, type JsonObject } from "../json/json.ts";
import { REFERENCES, subschemas, wrongHolder } from "../json/schema-parts.ts";
import { createReferences, type SchemaReferences } from "../json/schema-references.ts";

const MAX_SCHEMA_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 32;
/** One level of schemas is up to two of JSON, and examples and constants have levels of their own. */
const MAX_JSON_DEPTH = 2 * MAX_DEPTH + 64;
const MAX_SUBSCHEMAS = 2_000;

const TYPE_NAMES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

/**
 * Says what makes a schema unusable; undefined if it can be used. Schemas come from servers, so their size, depth and
 * number of parts are limited here, before anything else traverses them (T27).
 */
export function schemaProblem(schema: unknown): string | undefined {
  const most = mostCharacters(schema, MAX_JSON_DEPTH);
  if (most === Number.POSITIVE_INFINITY) return `is nested more than ${MAX_DEPTH} levels deep`;
  // Most schemas are short by any estimate, so they need not be serialized just to be measured.
  const size = most <= MAX_SCHEMA_CHARACTERS ? 0 : (JSON.stringify(schema)?.length ?? 0);
  if (size > MAX_SCHEMA_CHARACTERS) return `is ${size} characters long; at most ${MAX_SCHEMA_CHARACTERS} are accepted`;
  if (!isJsonObject(schema)) return typeof schema === "boolean" ? undefined : "/ is not a schema";
  const walked: Walked = new Map();
  return walk(schema, "", 0, walked) ?? referenceProblem(schema, walked);
}

/**
 * A cheap upper bound for the length of the value as JSON; infinite if it is nested more than `levels` deep.
 */
function mostCharacters(value: unknown, levels: number): number {
  if (typeof value === "string") return 6 * value.length + 2;
  if (typeof value !== "object" || value === null) return MAX_NUMBER_LENGTH;
  if (levels === 0) return Number.POSITIVE_INFINITY;
  let sum = 2;
  if (Array.isArray(value)) {
    for (const item of value) sum += 1 + mostCharacters(item, levels - 1);
    return sum;
  }
  for (const key in value) sum += 6 * key.length + 4 + mostCharacters(Reflect.get(value, key), levels - 1);
  return sum;
}

const MAX_NUMBER_LENGTH = 25;

/** Every part that was visited, with its path. */
type Walked = Map<JsonObject, string>;

function walk(schema: unknown, at: string, depth: number, walked: Walked): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isJsonObject(schema)) return `${at || "/"} is not a schema`;
  if (walked.has(schema)) return undefined;
  if (depth > MAX_DEPTH) return `${at} is nested more than ${MAX_DEPTH} levels deep`;
  walked.set(schema, at);
  if (walked.size > MAX_SUBSCHEMAS) return `has more than ${MAX_SUBSCHEMAS} parts`;
  const own = ownProblem(schema, at);
  if (own !== undefined) return own;
  for (const [where, part] of subschemas(schema)) {
    const problem = walk(part, `${at}/${where}`, depth + 1, walked);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * A reference may lead to a part that no keyword leads to, which is then checked like any other, with its references.
 */
function referenceProblem(root: JsonObject, walked: Walked): string | undefined {
  // Created for the first reference, as most schemas have none.
  let references: SchemaReferences | undefined;
  for (const [schema, at] of walked) {
    for (const keyword of REFERENCES) {
      const reference = schema[keyword];
      if (reference === undefined) continue;
      if (typeof reference !== "string") return `${at}/${keyword} is not a reference`;
      references ??= createReferences(root);
      const target = references.resolve(schema, reference);
      if (target === undefined)
        return `${at}/${keyword} refers to '${shorten(reference)}', which is not in the schema; nothing is fetched`;
      const problem = walk(target, `${at}/${keyword}`, 0, walked);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function ownProblem(schema: JsonObject, at: string): string | undefined {
  const { type, required, pattern } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).every(isTypeName))
    return `${at}/type is not a JSON Schema type`;
  // Draft 3 put `required: true` on the property itself; servers still do, and it does no harm.
  if (required !== undefined && typeof required !== "boolean" && !isStringList(required))
    return `${at}/required is not a list of names`;
  if (schema.enum !== undefined && !Array.isArray(schema.enum)) return `${at}/enum is not a list`;
  if (pattern !== undefined && !isPattern(pattern)) return `${at}/pattern is not a regular expression`;
  const names = isJsonObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  const wrong = names.find((name) => !isPattern(name));
  if (wrong !== undefined) return `${at}/patternProperties has '${shorten(wrong)}', which is not a regular expression`;
  const holder = wrongHolder(schema);
  return holder && `${at}/${holder.keyword} is not a ${holder.not} of schemas`;
}

function isTypeName(name: unknown): boolean {
  return typeof name === "string" && TYPE_NAMES.has(name);
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

// Many published schemas escape characters that may not be escaped under the `u` flag.
function isPatternWithoutUnicode(value: string): boolean {
  try {
    new RegExp(value);
    return true;
  } catch {
    return false;
  }
}
