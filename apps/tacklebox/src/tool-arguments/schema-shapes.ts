import { createReferences, isJsonObject, type Json, type JsonObject, type JsonSchema } from "@tacklebox/core";

export const TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"] as const;
export type TypeName = (typeof TYPES)[number];

/** One way in which a value may look. */
export interface Shape {
  /** Undefined if the schema leaves the type open. */
  readonly type: TypeName | undefined;
  /** The only allowed values, if there are such. */
  readonly choices: readonly Json[] | undefined;
  /** The keywords that apply, with those it refers to. */
  readonly schema: JsonObject;
}

/** Reads the schema of one tool, which a server wrote: nothing in it is taken for granted, and all work is bounded. */
export interface SchemaShapes {
  /** What the schema allows, one shape for each alternative; at least one. */
  of(schema: Json | undefined): readonly Shape[];
  /** The named members of an object, in the order the server wrote them. */
  membersOf(shape: Shape): readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
  /** Its description, wherever the schema says it. */
  readonly description: string;
}

const MAX_DEPTH = 12;
const MAX_SHAPES = 40;
const ANYTHING: Shape = { type: undefined, choices: undefined, schema: {} };

export function readShapes(root: JsonSchema): SchemaShapes {
  const references = createReferences(root);

  /** Follows references and merges what `allOf` combines. */
  function whole(schema: Json | undefined, depth: number): JsonObject {
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return {};
    const { $ref, allOf, ...own } = schema;
    const target = typeof $ref === "string" ? references.resolve(schema, $ref) : undefined;
    const parts = [...(isJsonObject(target) ? [target] : []), ...(Array.isArray(allOf) ? allOf : [])];
    return parts.map((part: Json) => whole(part, depth + 1)).reduceRight(merged, own);
  }

  function shapesOf(schema: Json | undefined, depth: number): readonly Shape[] {
    if (depth > MAX_DEPTH) return [ANYTHING];
    const { anyOf, oneOf, ...own } = whole(schema, depth);
    const alternatives = [anyOf, oneOf].find((some) => Array.isArray(some) && some.length > 0);
    if (!Array.isArray(alternatives)) return plainShapes(own);
    return alternatives
      .slice(0, MAX_SHAPES)
      .flatMap((part: Json) => shapesOf(merged(whole(part, depth + 1), own), depth + 1))
      .slice(0, MAX_SHAPES);
  }

  return {
    of: (schema) => shapesOf(schema, 0),
    membersOf({ schema: { properties, required } }) {
      if (!isJsonObject(properties)) return [];
      const needed = new Set(Array.isArray(required) ? required : []);
      return Object.entries(properties).map(([name, schema = true]) => ({
        name,
        required: needed.has(name),
        schema,
        description: descriptionOf(schema, whole(schema, 0)),
      }));
    },
  };
}

/** Whether an object of this shape may have members that the schema does not name. */
export function isOpen({ schema: { properties, additionalProperties, patternProperties } }: Shape): boolean {
  if (additionalProperties !== undefined) return additionalProperties !== false;
  return patternProperties !== undefined || !isJsonObject(properties) || Object.keys(properties).length === 0;
}

function plainShapes(schema: JsonObject): readonly Shape[] {
  const choices = choicesOf(schema);
  const types = [schema.type].flat().flatMap((type) => TYPES.find((known) => known === type) ?? []);
  if (types.length === 0) return [{ type: choices === undefined ? guessedType(schema) : undefined, choices, schema }];
  if (choices !== undefined) return [{ type: types.length === 1 ? types[0] : undefined, choices, schema }];
  return types.map((type) => ({ type, choices, schema }));
}

function choicesOf(schema: JsonObject): readonly Json[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) && schema.enum.length > 0 ? schema.enum : undefined;
}

function guessedType({ properties, items }: JsonObject): TypeName | undefined {
  if (isJsonObject(properties)) return "object";
  return items === undefined ? undefined : "array";
}

/** Keywords of the first win, except that both name members. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const properties = isJsonObject(first.properties) &&
    isJsonObject(second.properties) && { properties: { ...second.properties, ...first.properties } };
  const required = Array.isArray(first.required) &&
    Array.isArray(second.required) && { required: [...second.required, ...first.required] };
  return { ...second, ...first, ...properties, ...required };
}

function descriptionOf(written: Json, whole: JsonObject): string {
  const own = isJsonObject(written) ? written.description : undefined;
  const text = own ?? whole.description ?? whole.title ?? "";
  return typeof text === "string" ? text : "";
}
