import { isJsonObject, type JsonObject } from "../json/json.ts";
import type { CompileKeyword, Compiler, Keywords } from "./keyword.ts";
import { applyHere, type CheckRun, type CompiledCheck, childPath, mismatch, type Seen, spend, spendOn } from "./run.ts";

/** Keywords about objects. Only own members count: every object inherits a `constructor`. */
export const OBJECT_KEYWORDS: Keywords = [
  ["required", compileRequired],
  ["minProperties", (least, schema) => compileCount("minProperties", least, schema, (count, limit) => count >= limit)],
  ["maxProperties", (most, schema) => compileCount("maxProperties", most, schema, (count, limit) => count <= limit)],
  ["propertyNames", compileNames],
  ["dependentRequired", compileDependents("dependentRequired")],
  ["dependentSchemas", compileDependents("dependentSchemas")],
  ["dependencies", compileDependents("dependencies")],
];

/** A member that is `undefined` does not exist in JSON. */
export function hasMember(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function compileRequired(wanted: unknown, schema: JsonObject): CompiledCheck | undefined {
  const names = Array.isArray(wanted) ? wanted.filter((name) => typeof name === "string") : [];
  if (names.length === 0) return undefined;
  return (value, run, path) =>
    !isJsonObject(value) ||
    (spendOn(run, names.length) && names.every((name) => hasMember(value, name))) ||
    mismatch(run, "required", schema, value, path);
}

type Compare = (count: number, limit: number) => boolean;

function compileCount(keyword: string, limit: unknown, schema: JsonObject, fits: Compare): CompiledCheck | undefined {
  if (typeof limit !== "number") return undefined;
  return (value, run, path) => {
    if (!isJsonObject(value)) return true;
    const { length } = Object.keys(value);
    return (spendOn(run, length) && fits(length, limit)) || mismatch(run, keyword, schema, value, path);
  };
}

function compileNames(wanted: unknown, _schema: JsonObject, compiler: Compiler): CompiledCheck {
  const check = compiler.schema(wanted);
  return (value, run, path) =>
    !isJsonObject(value) ||
    every(Object.keys(value), run, (name) => check(name, run, childPath(run, path, name), undefined));
}

function compileDependents(keyword: string): CompileKeyword {
  return (wanted, schema, compiler) => {
    if (!isJsonObject(wanted)) return undefined;
    const needs = Object.entries(wanted).map(([name, needed]) => {
      const check = Array.isArray(needed) ? compileNeeded(keyword, needed, schema) : compiler.schema(needed);
      return { name, check };
    });
    return (value, run, path, seen) =>
      !isJsonObject(value) ||
      every(needs, run, ({ name, check }) => !hasMember(value, name) || applyHere(check, value, run, path, seen));
  };
}

function compileNeeded(keyword: string, names: readonly unknown[], schema: JsonObject): CompiledCheck {
  return (value, run, path) =>
    !isJsonObject(value) ||
    (spendOn(run, names.length) && names.every((name) => typeof name !== "string" || hasMember(value, name))) ||
    mismatch(run, keyword, schema, value, path);
}

/** Compiles `properties`, `patternProperties` and `additionalProperties` together: the last applies to what is left. */
export function compileMembers(schema: JsonObject, compiler: Compiler): CompiledCheck | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  if (properties === undefined && patternProperties === undefined && additionalProperties === undefined)
    return undefined;
  const named = new Map(entriesOf(properties).map(([name, part]) => [name, compiler.schema(part)]));
  const names = [...named];
  const matched = entriesOf(patternProperties).map(([source, part]) => ({
    matcher: compiler.pattern(source),
    check: compiler.schema(part),
  }));
  const rest = additionalProperties === undefined ? undefined : compiler.schema(additionalProperties);

  const checkNamed = (value: JsonObject, run: CheckRun, path: string, seen: Seen | undefined) =>
    every(names, run, ([name, check]) => {
      if (!hasMember(value, name)) return true;
      seen?.names.add(name);
      return check(value[name], run, childPath(run, path, name), undefined);
    });

  const checkOther = (value: JsonObject, run: CheckRun, path: string, seen: Seen | undefined) =>
    every(Object.keys(value), run, (name) => {
      if (!spend(run, 1)) return false;
      if (value[name] === undefined) return true;
      let isKnown = named.has(name);
      let fits = true;
      for (const { matcher, check } of matched) {
        if (!spend(run, matcher.steps(name.length))) return false;
        if (!matcher.test(name)) continue;
        isKnown = true;
        seen?.names.add(name);
        fits = check(value[name], run, childPath(run, path, name), undefined) && fits;
      }
      if (isKnown || rest === undefined) return fits;
      seen?.names.add(name);
      if (additionalProperties === false) return unknownMember(run, "additionalProperties", schema, value, path, name);
      return rest(value[name], run, childPath(run, path, name), undefined);
    });

  return (value, run, path, seen) => {
    if (!isJsonObject(value)) return true;
    const fits = checkNamed(value, run, path, seen);
    if ((matched.length === 0 && rest === undefined) || (!fits && run.mismatches === undefined)) return fits;
    return checkOther(value, run, path, seen) && fits;
  };
}

/** Runs after every other keyword, because it applies to the members that none of them evaluated. */
export function compileUnevaluatedMembers(schema: JsonObject, compiler: Compiler): CompiledCheck | undefined {
  const { unevaluatedProperties } = schema;
  if (unevaluatedProperties === undefined) return undefined;
  const check = compiler.schema(unevaluatedProperties);
  return (value, run, path, seen) => {
    if (!isJsonObject(value)) return true;
    return every(Object.keys(value), run, (name) => {
      if (!spend(run, 1)) return false;
      if (value[name] === undefined || seen?.names.has(name)) return true;
      seen?.names.add(name);
      if (unevaluatedProperties === false)
        return unknownMember(run, "unevaluatedProperties", schema, value, path, name);
      return check(value[name], run, childPath(run, path, name), undefined);
    });
  };
}

function unknownMember(run: CheckRun, keyword: string, schema: JsonObject, found: unknown, path: string, name: string) {
  const before = run.mismatches?.length ?? 0;
  mismatch(run, keyword, schema, found, path);
  const added = run.mismatches?.[before];
  if (added !== undefined) run.mismatches?.splice(before, 1, { ...added, name });
  return false;
}

/** Like Array.every, but continues after a mismatch while mismatches are being collected. */
export function every<T>(list: readonly T[], run: CheckRun, fits: (item: T, index: number) => boolean): boolean {
  if (!spendOn(run, list.length)) return false;
  let all = true;
  for (let index = 0; index < list.length; index += 1) {
    if (fits(list[index] as T, index)) continue;
    if (run.mismatches === undefined || run.steps < 0) return false;
    all = false;
  }
  return all;
}

function entriesOf(map: unknown): [string, unknown][] {
  return isJsonObject(map) ? Object.entries(map) : [];
}
