import { isJsonObject, type Json, type JsonObject } from "@tacklebox/core";
import type { Member, SchemaShapes, Shape, TypeName } from "./schema-shapes.ts";

const MAX_CHOICES = 8;
const MAX_CHOICE_LENGTH = 40;
const MAX_MEMBERS = 6;
const MAX_DEPTH = 3;

/** The type as programmers write it, such as `string`, `integer[]`, `"a" | "b"` or `{ path: string, all?: boolean }`. */
export function describeType(schema: Json | undefined, shapes: SchemaShapes, depth = 0): string {
  const types = shapes.of(schema).map((shape) => typeOf(shape, shapes, depth));
  return [...new Set(types)].join(" | ");
}

function typeOf(shape: Shape, shapes: SchemaShapes, depth: number): string {
  const { type, choices, schema } = shape;
  if (choices !== undefined) return listChoices(choices, " | ");
  if (type === "array") {
    const item = depth >= MAX_DEPTH ? "any" : describeType(firstItem(schema), shapes, depth + 1);
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  if (type === "object") {
    const members = depth >= MAX_DEPTH ? [] : shapes.membersOf(shape);
    return members.length === 0 ? "object" : `{ ${describeMembers(members, shapes, depth + 1)} }`;
  }
  return type ?? "any";
}

/** Members as in a signature: `path: string, all?: boolean`, those that are required first. */
export function describeMembers(
  members: readonly Member[],
  shapes: SchemaShapes,
  depth = 0,
  most = MAX_MEMBERS,
): string {
  const neededFirst = requiredFirst(members);
  const written = neededFirst
    .slice(0, most)
    .map(({ name, required, schema }) => `${name}${required ? "" : "?"}: ${describeType(schema, shapes, depth)}`);
  return [...written, ...(members.length > most ? ["…"] : [])].join(", ");
}

export function requiredFirst(members: readonly Member[]): readonly Member[] {
  return [...members.filter(({ required }) => required), ...members.filter(({ required }) => !required)];
}

/** What to type, for somebody who typed something else: `a whole number`, `true or false`, `one of: "a", "b"`. */
export function describeWanted(wanted: readonly Shape[], shapes: SchemaShapes): string {
  const texts = wanted.map(({ type, choices, schema }) => {
    if (choices !== undefined)
      return choices.length === 1 ? listChoices(choices, "") : `one of: ${listChoices(choices, ", ")}`;
    if (type === "array") return `a list (each item ${describeWanted(shapes.of(firstItem(schema)), shapes)})`;
    return type === undefined ? "a value" : WANTED[type];
  });
  return [...new Set(texts)].join(", or ");
}

const WANTED = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  null: "null",
  array: "a list",
  object: "an object, written as JSON or member by member, as in options.name=value",
} as const satisfies Record<TypeName, string>;

function listChoices(choices: readonly Json[], separator: string): string {
  const shown = choices.slice(0, MAX_CHOICES).map((choice) => {
    const text = JSON.stringify(choice);
    return text.length > MAX_CHOICE_LENGTH ? `${text.slice(0, MAX_CHOICE_LENGTH)}…` : text;
  });
  return [...shown, ...(choices.length > MAX_CHOICES ? ["…"] : [])].join(separator);
}

/** The limits that a schema sets, each in a few words: `at least 1`, `default 5`. */
export function describeConstraints(schema: Json | undefined, shapes: SchemaShapes): readonly string[] {
  const [only, ...others] = shapes.of(schema).filter(({ type }) => type !== "null");
  const limits = only === undefined || others.length > 0 ? [] : limitsOf(only.schema);
  const written = isJsonObject(schema) ? schema : {};
  const known = written.default === undefined ? only?.schema.default : written.default;
  return [
    ...limits,
    ...(known === undefined ? [] : [`default ${listChoices([known], "")}`]),
    ...(written.deprecated === true ? ["deprecated"] : []),
  ];
}

function limitsOf(schema: JsonObject): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, pattern, format } = schema;
  return [
    ...range(minimum, maximum, ""),
    ...number(exclusiveMinimum, (limit) => `more than ${limit}`),
    ...number(exclusiveMaximum, (limit) => `less than ${limit}`),
    ...number(multipleOf, (step) => `a multiple of ${step}`),
    ...range(schema.minLength, schema.maxLength, "character"),
    ...range(schema.minItems, schema.maxItems, "item"),
    ...(schema.uniqueItems === true ? ["no item twice"] : []),
    ...(typeof pattern === "string" ? [`matches ${pattern.slice(0, MAX_CHOICE_LENGTH * 2)}`] : []),
    ...(typeof format === "string" ? [`format ${format.slice(0, MAX_CHOICE_LENGTH)}`] : []),
  ];
}

function range(least: Json | undefined, most: Json | undefined, unit: string): readonly string[] {
  const of = (limit: number) => (unit === "" ? String(limit) : `${limit} ${unit}${limit === 1 ? "" : "s"}`);
  if (typeof least === "number" && typeof most === "number")
    return least === most ? [`exactly ${of(least)}`] : [`${least} to ${of(most)}`];
  return [...number(least, (limit) => `at least ${of(limit)}`), ...number(most, (limit) => `at most ${of(limit)}`)];
}

function number(value: Json | undefined, describe: (value: number) => string): readonly string[] {
  return typeof value === "number" ? [describe(value)] : [];
}

export function firstItem({ items, prefixItems }: JsonObject): Json | undefined {
  if (Array.isArray(prefixItems) && prefixItems.length > 0) return prefixItems[0];
  return Array.isArray(items) ? items[0] : items;
}
