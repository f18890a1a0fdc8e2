import { isJsonObject, type Json, type JsonObject, type JsonSchema } from "./json.ts";
import { createReferences, type SchemaReferences } from "./schema-references.ts";

export interface WithoutNulls {
  readonly arguments: JsonObject;
  /** The JSON pointers of what was left out. */
  readonly leftOut: readonly string[];
}

/** A schema decides how much work there is. Beyond this, and deeper, everything is left as it is. */
const MAX_STEPS = 50_000;
const MAX_DEPTH = 50;

/**
 * Leaves out every `null` of an optional parameter that may not be null: models write it for "none" (R4). Returns the
 * same object if there is none. Pass arguments of limited depth.
 */
export function leaveOutNulls(schema: JsonSchema, given: JsonObject): WithoutNulls {
  if (!holdsNull(given)) return { arguments: given, leftOut: [] };
  const walk: Walk = { references: createReferences(schema), steps: MAX_STEPS, leftOut: [] };
  const kept = keepObject(given, [schema], "", walk);
  if (walk.steps < 0 || walk.leftOut.length === 0) return { arguments: given, leftOut: [] };
  return { arguments: kept, leftOut: walk.leftOut };
}

interface Walk {
  readonly references: SchemaReferences;
  steps: number;
  readonly leftOut: string[];
}

function holdsNull(value: Json): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return false;
  return Object.values(value).some((member) => member !== undefined && holdsNull(member));
}

function keep(value: Json, schemas: readonly unknown[], path: string, walk: Walk): Json {
  if (schemas.length === 0 || typeof value !== "object" || value === null) return value;
  if (isJsonObject(value)) return keepObject(value, schemas, path, walk);
  const items = applying(schemas, walk).flatMap((schema) => (isJsonObject(schema.items) ? [schema.items] : []));
  return value.map((item: Json, index) => keep(item, items, `${path}/${index}`, walk));
}

function keepObject(value: JsonObject, schemas: readonly unknown[], path: string, walk: Walk): JsonObject {
  const parts = applying(schemas, walk);
  const required = new Set(parts.flatMap((part) => (Array.isArray(part.required) ? part.required : [])));
  const members = Object.entries(value).flatMap(([name, member]): [string, Json | undefined][] => {
    walk.steps -= parts.length;
    if (member === undefined || walk.steps < 0) return [[name, member]];
    const declared = parts.flatMap(({ properties }) =>
      isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
    );
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (member !== null) return [[name, keep(member, declared, at, walk)]];
    if (required.has(name) || declared.every((schema) => mayBeNull(schema, walk, 0))) return [[name, member]];
    walk.leftOut.push(at);
    return [];
  });
  return Object.fromEntries(members) as JsonObject;
}

/** These schemas and those that apply to the same value in any case: what they refer to, and all of `allOf`. */
function applying(schemas: readonly unknown[], walk: Walk): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    walk.steps -= 1;
    if (!isJsonObject(next) || found.has(next) || walk.steps < 0) continue;
    found.add(next);
    if (Array.isArray(next.allOf)) waiting.push(...next.allOf);
    if (typeof next.$ref === "string") waiting.push(walk.references.resolve(next, next.$ref));
  }
  return [...found];
}

/** Whether nothing in the schema rules out null. Where that is not easily said, it counts as allowed. */
function mayBeNull(schema: unknown, walk: Walk, depth: number): boolean {
  walk.steps -= 1;
  if (walk.steps < 0 || depth > MAX_DEPTH || !isJsonObject(schema)) return schema !== false;
  const { type, enum: choices, $ref: reference, anyOf, oneOf, allOf } = schema;
  const fits = (part: unknown) => mayBeNull(part, walk, depth + 1);
  if (type !== undefined && type !== "null" && !(Array.isArray(type) && type.includes("null"))) return false;
  if (Array.isArray(choices) && !choices.includes(null)) return false;
  if (schema.const !== undefined && schema.const !== null) return false;
  if (typeof reference === "string" && !fits(walk.references.resolve(schema, reference) ?? true)) return false;
  if (Array.isArray(anyOf) && !anyOf.some(fits)) return false;
  if (Array.isArray(oneOf) && !oneOf.some(fits)) return false;
  return !Array.isArray(allOf) || allOf.every(fits);
}
