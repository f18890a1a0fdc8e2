import { isJsonObject, type Json, type JsonObject, type JsonSchema } from "@tacklebox/core";

export type Kind = "text" | "number" | "integer" | "boolean" | "list" | "object";

type Choice = string | number | boolean;

/** One parameter of a tool, in a simplified form of its schema. */
export interface Parameter {
  readonly name: string;
  readonly kind: Kind;
  /** The kind of a list's members. */
  readonly member: Kind;
  readonly required: boolean;
  /** The only values allowed; empty if any is. */
  readonly choices: readonly Choice[];
  readonly fallback?: Json;
}

const KINDS: Readonly<Record<string, Kind>> = {
  string: "text",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  array: "list",
  object: "object",
};

export function parametersOf(schema: JsonSchema): readonly Parameter[] {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, property]) => toParameter(name, property, needed.has(name)));
}

function toParameter(name: string, property: Json | undefined, required: boolean): Parameter {
  const schema = withoutNull(property);
  const choices = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const ?? null] : [];
  return {
    name,
    kind: kindOf(schema),
    member: kindOf(withoutNull(schema.items)),
    required,
    choices: choices.filter(isChoice),
    ...(schema.default !== undefined && { fallback: schema.default }),
  };
}

/** Whether a person could write the value as a word. */
function isChoice(choice: unknown): choice is Choice {
  return typeof choice === "string" || typeof choice === "number" || typeof choice === "boolean";
}

/** Reduces `string or null` to its string alternative, which can be filled in. */
function withoutNull(schema: Json | undefined): JsonObject {
  if (!isJsonObject(schema)) return {};
  const either = schema.anyOf ?? schema.oneOf;
  if (schema.type !== undefined || !Array.isArray(either)) return schema;
  const first: unknown = either.find((member: unknown) => isJsonObject(member) && member.type !== "null");
  return isJsonObject(first) ? { ...schema, ...first } : schema;
}

function kindOf({ type, enum: choices, properties }: JsonObject): Kind {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  const known = types.find((name) => typeof name === "string" && Object.hasOwn(KINDS, name));
  if (typeof known === "string") return KINDS[known] ?? "text";
  if (choices === undefined && properties !== undefined) return "object";
  return "text";
}

/** Whether the values are paths or URLs, which usually contain no spaces. */
export function isPlace({ name }: Parameter): boolean {
  return /(?:path|file|folder|dir|directory|uri|url|link|address)s?$/i.test(name);
}

/** Whether the value is a folder, for which the current one is a sensible default. */
export function isFolder({ name, kind }: Parameter): boolean {
  return kind === "text" && /(?:path|folder|dir|directory)$/i.test(name);
}

export function isName({ name }: Parameter): boolean {
  return /(?:name|title)$/i.test(name);
}
