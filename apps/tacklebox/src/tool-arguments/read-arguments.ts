import { isJsonObject, type Json, type JsonObject, type JsonSchema, nearestName } from "@tacklebox/core";
import { type ReadValue, readJson, readValue } from "./read-value.ts";
import { isOpen, readShapes, type SchemaShapes } from "./schema-shapes.ts";
import type { TypedArgument } from "./typed-argument.ts";

export type ReadArguments =
  | { readonly kind: "ok"; readonly arguments: JsonObject }
  | { readonly kind: "refused"; readonly messages: readonly string[] };

/**
 * Puts typed arguments together, on top of those given as JSON: a name that is typed replaces the JSON's. Without a
 * schema everything is a text, unless it looks like another JSON value.
 */
export function readArguments(
  typed: readonly TypedArgument[],
  given: JsonObject,
  schema: JsonSchema | undefined,
): ReadArguments {
  const shapes = readShapes(schema ?? {});
  const byName = new Map<string, TypedArgument[]>();
  for (const each of typed) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);

  let result = given;
  const messages: string[] = [];
  for (const [name, all] of byName) {
    const place = placeOf(
      name,
      schema ?? {},
      shapes,
      all.every(({ isJson }) => isJson),
    );
    const read = place.kind === "refused" ? place : readAll(all, place.schema, shapes);
    if (place.kind === "ok" && read.kind === "ok") result = withMember(result, place.path, read.value);
    else if (place.kind === "refused") messages.push(place.message);
    else if (read.kind === "refused") messages.push(`Argument "${name}" ${read.message}.`);
  }
  return messages.length > 0 ? { kind: "refused", messages } : { kind: "ok", arguments: result };
}

/** Reads every value given under one name: several make a list. */
function readAll(all: readonly TypedArgument[], schema: Json | undefined, shapes: SchemaShapes): ReadValue {
  const [first, ...others] = all;
  if (first !== undefined && others.length === 0)
    return first.isJson ? readJson(first.text) : readValue(first.text, schema, shapes);
  const lists = shapes.of(schema).filter(({ type }) => type === "array" || type === undefined);
  if (lists.length === 0) return { kind: "refused", message: `takes one value but was given ${all.length}` };
  const items: Json[] = [];
  for (const { text, isJson } of all) {
    const read = isJson ? readJson(text) : readValue(text, lists[0]?.schema.items, shapes);
    if (read.kind === "refused") return read;
    items.push(read.value);
  }
  return { kind: "ok", value: items };
}

type Place =
  | { readonly kind: "ok"; readonly path: readonly string[]; readonly schema: Json | undefined }
  | { readonly kind: "refused"; readonly message: string };

/**
 * Finds the member that a name stands for. A member whose own name has dots comes before members of members. A name that
 * the schema does not know is refused, unless the schema takes any, or it is forced.
 */
function placeOf(name: string, schema: Json, shapes: SchemaShapes, isForced: boolean): Place {
  const known = pathIn(name, schema, shapes);
  if (known !== undefined) return { kind: "ok", ...known };
  const tops = shapes.of(schema);
  const members = tops.flatMap((top) => shapes.membersOf(top));
  const [head = name, ...below] = name.split(".");
  const holder = members.find((member) => member.name === head);
  const open = holder === undefined ? tops.find(isOpen) : undefined;
  if (isForced || open !== undefined)
    return { kind: "ok", path: [head, ...below], schema: open?.schema.additionalProperties };
  if (holder === undefined)
    return refuse(
      name,
      members.map((member) => member.name),
    );
  const inner = shapes.of(holder.schema).filter(({ type }) => type === "object" || type === undefined);
  if (inner.length === 0)
    return { kind: "refused", message: `Argument "${head}" is not an object, so "${name}" cannot be set.` };
  return refuse(
    name,
    inner.flatMap((shape) => shapes.membersOf(shape)).map((member) => `${head}.${member.name}`),
  );
}

interface FoundPath {
  readonly path: readonly string[];
  readonly schema: Json | undefined;
}

function pathIn(name: string, schema: Json | undefined, shapes: SchemaShapes, depth = 0): FoundPath | undefined {
  if (depth > MAX_PATH) return undefined;
  for (const shape of shapes.of(schema)) {
    const members = shapes.membersOf(shape);
    const exact = members.find((member) => member.name === name);
    if (exact !== undefined) return { path: [name], schema: exact.schema };
    for (const member of members) {
      if (!name.startsWith(`${member.name}.`)) continue;
      const rest = pathIn(name.slice(member.name.length + 1), member.schema, shapes, depth + 1);
      if (rest !== undefined) return { path: [member.name, ...rest.path], schema: rest.schema };
    }
    // Below the top, an object that names no members takes any.
    if (depth > 0 && (shape.type === "object" || shape.type === undefined) && isOpen(shape)) {
      const { additionalProperties } = shape.schema;
      const member = isJsonObject(additionalProperties) ? additionalProperties : undefined;
      const mayHold = shapes.of(member).some(({ type }) => type === "object" || type === undefined);
      return { path: mayHold ? name.split(".") : [name], schema: member };
    }
  }
  return undefined;
}

const MAX_PATH = 20;
const MAX_LISTED = 12;
/** Comparing a name with thousands of others would take long. */
const MAX_COMPARED = 200;

function refuse(name: string, known: readonly string[]): Place {
  const nearest = nearestName(name, known.slice(0, MAX_COMPARED));
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const listed = known.slice(0, MAX_LISTED).join(", ");
  const all = known.length === 0 ? "It takes none." : `It takes: ${listed}${known.length > MAX_LISTED ? ", …" : ""}.`;
  return { kind: "refused", message: `The tool has no argument "${name}".${hint} ${all}` };
}

/** A member named `__proto__` becomes an ordinary one, which the engine then refuses. */
function withMember(object: JsonObject, [name = "", ...rest]: readonly string[], value: Json): JsonObject {
  const before = Object.hasOwn(object, name) ? object[name] : undefined;
  const inner = rest.length === 0 ? value : withMember(isJsonObject(before) ? before : {}, rest, value);
  return Object.fromEntries([...Object.entries(object), [name, inner]]);
}
