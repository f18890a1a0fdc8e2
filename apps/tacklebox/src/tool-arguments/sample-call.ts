import { isJsonObject, type Json, type RegisteredTool } from "@tacklebox/core";
import { quoteForShell } from "../config-file/quote-for-shell.ts";
import { firstItem } from "./describe-shape.ts";
import { readShapes, type SchemaShapes, type Shape } from "./schema-shapes.ts";

/** A command line that calls the tool with all it requires, ready to be pasted. */
export function sampleCall({ ref, tool }: RegisteredTool, config: string | undefined): string {
  const shapes = readShapes(tool.inputSchema);
  const [top] = shapes.of(tool.inputSchema);
  const required = top === undefined ? [] : shapes.membersOf(top).filter((member) => member.required);
  const words = required.map(({ name, schema }) => toWord(name, sampleOf(name, schema, shapes, 0), schema, shapes));
  const named = config === undefined ? [] : ["--config", config];
  return ["tacklebox", "call", ref.server, ref.name, ...words, ...named].map(quoteForShell).join(" ");
}

function toWord(name: string, value: Json, schema: Json, shapes: SchemaShapes): string {
  if (typeof value === "string") {
    const isText = shapes.of(schema).some(({ type, choices }) => type === "string" || choices?.includes(value));
    return isText && !name.includes("=") && !name.endsWith(":")
      ? `${name}=${value}`
      : `${name}:=${JSON.stringify(value)}`;
  }
  const [only] = Array.isArray(value) && value.length === 1 ? value : [];
  return typeof only === "string" && !/^\s*[[{]/.test(only) ? `${name}=${only}` : `${name}=${JSON.stringify(value)}`;
}

const MAX_DEPTH = 6;

function sampleOf(name: string, schema: Json | undefined, shapes: SchemaShapes, depth: number): Json {
  const [shape] = shapes.of(schema);
  if (shape === undefined) return "text";
  const own = isJsonObject(schema) ? { ...shape.schema, ...schema } : shape.schema;
  const [example] = Array.isArray(own.examples) ? own.examples : [own.example];
  const chosen = example ?? own.default ?? shape.choices?.[0];
  if (chosen !== undefined && (chosen !== null || shape.choices !== undefined)) return chosen;
  return made(name, shape, shapes, depth);
}

function made(name: string, shape: Shape, shapes: SchemaShapes, depth: number): Json {
  const { type, schema } = shape;
  switch (type) {
    case "integer":
    case "number":
      return numberFor(shape);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array": {
      const least = typeof schema.minItems === "number" ? Math.min(Math.max(schema.minItems, 1), 3) : 1;
      if (depth > MAX_DEPTH) return [];
      return Array.from({ length: least }, () => sampleOf(name, firstItem(schema), shapes, depth + 1));
    }
    case "object": {
      if (depth > MAX_DEPTH) return {};
      const required = shapes.membersOf(shape).filter((member) => member.required);
      return Object.fromEntries(
        required.map((member) => [member.name, sampleOf(member.name, member.schema, shapes, depth + 1)]),
      );
    }
    case "string":
    case undefined:
      return textFor(name, shape);
  }
}

function numberFor({ type, schema: { minimum, maximum, exclusiveMinimum, multipleOf } }: Shape): number {
  if (typeof multipleOf === "number") return multipleOf;
  if (typeof minimum === "number") return type === "integer" ? Math.ceil(minimum) : minimum;
  if (typeof exclusiveMinimum === "number") return Math.floor(exclusiveMinimum) + 1;
  return typeof maximum === "number" && maximum < 1 ? maximum : 1;
}

const BY_FORMAT: ReadonlyMap<string, string> = new Map([
  ["date", "2026-01-31"],
  ["date-time", "2026-01-31T12:00:00Z"],
  ["time", "12:00:00Z"],
  ["email", "ann@example.com"],
  ["uri", "https://example.com"],
  ["url", "https://example.com"],
  ["uuid", "123e4567-e89b-42d3-a456-426614174000"],
  ["hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
]);

function textFor(name: string, { schema: { format, minLength, maxLength } }: Shape): string {
  const known = typeof format === "string" ? BY_FORMAT.get(format) : undefined;
  if (known !== undefined) return known;
  const text = BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? "text";
  const least = typeof minLength === "number" ? Math.min(minLength, 200) : 0;
  return text.padEnd(least, "x").slice(0, typeof maxLength === "number" ? Math.max(maxLength, 0) : undefined);
}

const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/ur[il]$/i, "https://example.com"],
  [/dir(ectory)?$|folder$/i, "."],
  [/path$|file(_?name)?$/i, "notes.txt"],
  [/query|pattern|search/i, "words"],
];
