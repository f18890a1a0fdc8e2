import { findInexactNumbers, inexactText, isJsonObject, type Json } from "@tacklebox/core";
import { parseJson } from "../json-lines/parse-line.ts";
import { describeWanted } from "./describe-shape.ts";
import type { SchemaShapes, Shape } from "./schema-shapes.ts";

export type ReadValue =
  | { readonly kind: "ok"; readonly value: Json }
  /** A sentence without its subject, which is the argument. */
  | { readonly kind: "refused"; readonly message: string };

/**
 * Reads what a person typed as the schema wants it. A text stays a text wherever the schema allows one, so that "123"
 * does not become a number by accident; only a JSON array or object is taken as such where one is allowed.
 */
export function readValue(text: string, schema: Json | undefined, shapes: SchemaShapes): ReadValue {
  const allowed = shapes.of(schema);
  for (const shape of allowed.toSorted((one, other) => rankOf(one, text) - rankOf(other, text))) {
    const read = readAs(shape, text, shapes);
    if (read !== undefined) return read;
  }
  return { kind: "refused", message: `must be ${describeWanted(allowed, shapes)}, not ${quote(text)}` };
}

/** Reads JSON as it is, whatever a schema says. */
export function readJson(text: string): ReadValue {
  const parsed = parseJson(text);
  if (parsed.kind === "invalid") return { kind: "refused", message: `is not JSON: ${parsed.reason}` };
  const [inexact] = findInexactNumbers(text);
  if (inexact !== undefined) return { kind: "refused", message: `cannot be used: ${inexactText(inexact)}` };
  return { kind: "ok", value: parsed.value };
}

const LIKE_JSON = /^\s*[[{]/;

function rankOf({ type, choices }: Shape, text: string): number {
  if (choices !== undefined) return 0;
  if ((type === "array" || type === "object") && LIKE_JSON.test(text)) return 1;
  if (type === "string") return 2;
  if (type === "array" || type === "object") return 4;
  return type === undefined ? 5 : 3;
}

/** Undefined if the text is nothing of this shape. */
function readAs({ type, choices, schema }: Shape, text: string, shapes: SchemaShapes): ReadValue | undefined {
  if (choices !== undefined) return choose(choices, text);
  switch (type) {
    case "string":
      return { kind: "ok", value: text };
    case "integer":
      return only(text, (value) => Number.isInteger(value));
    case "number":
      return only(text, (value) => typeof value === "number");
    case "boolean":
      return only(text, (value) => typeof value === "boolean");
    case "null":
      return only(text, (value) => value === null);
    case "object":
      return only(text, isJsonObject);
    case "array":
      return only(text, Array.isArray) ?? readItem(text, schema.items, shapes);
    case undefined:
      return only(text, () => true) ?? { kind: "ok", value: text };
  }
}

/** A single item stands for a list of one. */
function readItem(text: string, items: Json | undefined, shapes: SchemaShapes): ReadValue | undefined {
  if (text.trim() === "") return undefined;
  const item = readValue(text, Array.isArray(items) ? items[0] : items, shapes);
  return item.kind === "ok" ? { kind: "ok", value: [item.value] } : undefined;
}

function only(text: string, isWanted: (value: Json) => boolean): ReadValue | undefined {
  const parsed = parseJson(text);
  if (parsed.kind === "invalid" || !isWanted(parsed.value)) return undefined;
  return readJson(text);
}

function choose(choices: readonly Json[], text: string): ReadValue | undefined {
  const chosen =
    choices.find((choice) => choice === text) ??
    choices.find((choice) => typeof choice !== "string" && JSON.stringify(choice) === text.trim());
  return chosen === undefined ? undefined : { kind: "ok", value: chosen };
}

const MAX_QUOTED = 60;

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}
