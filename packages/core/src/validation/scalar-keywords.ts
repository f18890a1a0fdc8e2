import type { JsonObject } from "../json/json.ts";
import { formatOf } from "./check-format.ts";
import { isMultipleOf } from "./is-multiple-of.ts";
import type { Compiler, Keywords } from "./keyword.ts";
import { type CompiledCheck, mismatch, spend } from "./run.ts";
import { sameJson } from "./same-json.ts";

/** Keywords about a value as a whole. */
export const VALUE_KEYWORDS: Keywords = [
  ["type", compileType],
  ["const", (wanted, schema) => compileChoice("const", [wanted], schema)],
  ["enum", (wanted, schema) => (Array.isArray(wanted) ? compileChoice("enum", wanted, schema) : undefined)],
];

export const NUMBER_KEYWORDS: Keywords = [
  ["minimum", (limit, schema, { draft }) => compileLimit("minimum", limit, schema, atLeast(schema, draft))],
  ["maximum", (limit, schema, { draft }) => compileLimit("maximum", limit, schema, atMost(schema, draft))],
  ["exclusiveMinimum", (limit, schema) => compileLimit("exclusiveMinimum", limit, schema, (found, l) => found > l)],
  ["exclusiveMaximum", (limit, schema) => compileLimit("exclusiveMaximum", limit, schema, (found, l) => found < l)],
  ["multipleOf", compileMultiple],
];

export const STRING_KEYWORDS: Keywords = [
  ["minLength", (least, schema) => compileLength("minLength", least, schema, (length, limit) => length >= limit)],
  ["maxLength", (most, schema) => compileLength("maxLength", most, schema, (length, limit) => length <= limit)],
  ["pattern", compilePattern],
  ["format", compileFormat],
];

function compileType(wanted: unknown, schema: JsonObject): CompiledCheck {
  // A schema may list a type any number of times.
  const types = [...new Set([wanted].flat())];
  const [only] = types;
  if (types.length === 1)
    return (value, run, path) => isOfType(value, only) || mismatch(run, "type", schema, value, path);
  return (value, run, path) =>
    types.some((type) => isOfType(value, type)) || mismatch(run, "type", schema, value, path);
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    default:
      return false;
  }
}

function compileChoice(keyword: string, choices: readonly unknown[], schema: JsonObject): CompiledCheck {
  const plain = new Set(choices.filter((choice) => typeof choice !== "object" || choice === null));
  const built = choices.filter((choice) => typeof choice === "object" && choice !== null);
  return (value, run, path) => {
    if (typeof value !== "object" || value === null)
      return plain.has(value) || mismatch(run, keyword, schema, value, path);
    return built.some((choice) => sameJson(value, choice, run)) || mismatch(run, keyword, schema, value, path);
  };
}

type Compare = (found: number, limit: number) => boolean;

function compileLimit(keyword: string, limit: unknown, schema: JsonObject, fits: Compare): CompiledCheck | undefined {
  if (typeof limit !== "number") return undefined;
  return (value, run, path) =>
    typeof value !== "number" || fits(value, limit) || mismatch(run, keyword, schema, value, path);
}

/** Decimals are divided as big integers, which may have hundreds of digits. */
const STEPS_OF_A_DIVISION = 16;

function compileMultiple(step: unknown, schema: JsonObject): CompiledCheck | undefined {
  if (typeof step !== "number") return undefined;
  return (value, run, path) => {
    if (typeof value !== "number") return true;
    if (!(Number.isSafeInteger(value) && Number.isSafeInteger(step)) && !spend(run, STEPS_OF_A_DIVISION)) return false;
    return isMultipleOf(value, step) || mismatch(run, "multipleOf", schema, value, path);
  };
}

// In draft 4 the exclusive limits were flags on the inclusive ones.
function atLeast({ exclusiveMinimum }: JsonObject, draft: Compiler["draft"]): Compare {
  return draft === "4" && exclusiveMinimum === true
    ? (found, limit) => found > limit
    : (found, limit) => found >= limit;
}

function atMost({ exclusiveMaximum }: JsonObject, draft: Compiler["draft"]): Compare {
  return draft === "4" && exclusiveMaximum === true
    ? (found, limit) => found < limit
    : (found, limit) => found <= limit;
}

function compileLength(keyword: string, limit: unknown, schema: JsonObject, fits: Compare): CompiledCheck | undefined {
  if (typeof limit !== "number") return undefined;
  return (value, run, path) => {
    if (typeof value !== "string") return true;
    if (!spend(run, value.length >> 6)) return false;
    return fits(countCharacters(value), limit) || mismatch(run, keyword, schema, value, path);
  };
}

/** Counts code points: a surrogate pair is one character. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00 || (text.charCodeAt(index - 1) & 0xfc00) !== 0xd800) continue;
    count -= 1;
    index += 1;
  }
  return count;
}

function compilePattern(wanted: unknown, schema: JsonObject, compiler: Compiler): CompiledCheck | undefined {
  if (typeof wanted !== "string") return undefined;
  const matcher = compiler.pattern(wanted);
  return (value, run, path) => {
    if (typeof value !== "string") return true;
    if (!spend(run, matcher.steps(value.length))) return false;
    return matcher.test(value) || mismatch(run, "pattern", schema, value, path);
  };
}

function compileFormat(wanted: unknown, schema: JsonObject): CompiledCheck | undefined {
  const fits = formatOf(wanted);
  if (fits === undefined) return undefined;
  return (value, run, path) => {
    if (typeof value !== "string") return true;
    if (!spend(run, value.length)) return false;
    return fits(value) || mismatch(run, "format", schema, value, path);
  };
}
