import type { JsonObject } from "../json/json.ts";
import type { Compiler, Keywords } from "./keyword.ts";
import { every } from "./object-keywords.ts";
import { type CheckRun, type CompiledCheck, childPath, mismatch, quietly, type Seen, spendOn } from "./run.ts";
import { areUnique } from "./same-json.ts";

export const ARRAY_KEYWORDS: Keywords = [
  ["maxItems", (most, schema) => compileCount("maxItems", most, schema, (count, limit) => count <= limit)],
  ["minItems", (least, schema) => compileCount("minItems", least, schema, (count, limit) => count >= limit)],
  ["contains", compileContains],
  ["uniqueItems", compileUnique],
];

type Compare = (count: number, limit: number) => boolean;

function compileCount(keyword: string, limit: unknown, schema: JsonObject, fits: Compare): CompiledCheck | undefined {
  if (typeof limit !== "number") return undefined;
  return (value, run, path) =>
    !Array.isArray(value) || fits(value.length, limit) || mismatch(run, keyword, schema, value, path);
}

/** Compiles `prefixItems`, `items` and `additionalItems`. A list in `items` is the older way to write `prefixItems`. */
export function compileItems(schema: JsonObject, compiler: Compiler): CompiledCheck | undefined {
  const { prefixItems, items, additionalItems } = schema;
  if (prefixItems === undefined && items === undefined) return undefined;
  const listed = Array.isArray(items) ? items : [];
  const first = (Array.isArray(prefixItems) ? prefixItems : listed).map((part) => compiler.schema(part));
  const restPart = Array.isArray(items) ? additionalItems : items;
  const rest = restPart === undefined ? undefined : compiler.schema(restPart);
  return (value, run, path, seen) =>
    !Array.isArray(value) ||
    every(value, run, (item: unknown, index) => {
      const check = first[index] ?? rest;
      if (check === undefined) return true;
      seen?.items.add(index);
      return check(item, run, childPath(run, path, index), undefined);
    });
}

function compileContains(wanted: unknown, schema: JsonObject, compiler: Compiler): CompiledCheck {
  const check = compiler.schema(wanted);
  const least = typeof schema.minContains === "number" ? schema.minContains : 1;
  const most = typeof schema.maxContains === "number" ? schema.maxContains : Number.POSITIVE_INFINITY;
  return (value, run, path, seen) => {
    if (!Array.isArray(value)) return true;
    const count = countContained(value, check, run, seen);
    if (run.steps < 0) return false;
    if (count < least) return mismatch(run, "contains", schema, value, path);
    return count <= most || mismatch(run, "maxContains", schema, value, path);
  };
}

function countContained(
  items: readonly unknown[],
  check: CompiledCheck,
  run: CheckRun,
  seen: Seen | undefined,
): number {
  let count = 0;
  if (!spendOn(run, items.length)) return count;
  for (const [index, item] of items.entries()) {
    if (run.steps < 0) return count;
    if (!quietly(check, item, run, undefined)) continue;
    seen?.items.add(index);
    count += 1;
  }
  return count;
}

function compileUnique(wanted: unknown, schema: JsonObject): CompiledCheck | undefined {
  if (wanted !== true) return undefined;
  return (value, run, path) =>
    !Array.isArray(value) || areUnique(value, run) || mismatch(run, "uniqueItems", schema, value, path);
}

/** Runs after every other keyword, because it applies to the items that none of them evaluated. */
export function compileUnevaluatedItems(schema: JsonObject, compiler: Compiler): CompiledCheck | undefined {
  if (schema.unevaluatedItems === undefined) return undefined;
  const check = compiler.schema(schema.unevaluatedItems);
  return (value, run, path, seen) =>
    !Array.isArray(value) ||
    every(value, run, (item: unknown, index) => {
      if (seen?.items.has(index)) return true;
      seen?.items.add(index);
      return check(item, run, childPath(run, path, index), undefined);
    });
}
