import type { JsonObject } from "../json/json.ts";
import type { DynamicKeyword } from "../json/schema-references.ts";
import type { CompileKeyword, Compiler, Keywords } from "./keyword.ts";
import { every } from "./object-keywords.ts";
import {
  addSeen,
  applyHere,
  type CheckRun,
  type CompiledCheck,
  createSeen,
  mismatch,
  quietly,
  type Seen,
} from "./run.ts";

/** Keywords that apply other schemas to the same value. */
export const COMBINING_KEYWORDS: Keywords = [
  ["not", compileNot],
  ["anyOf", compileAlternatives("anyOf")],
  ["allOf", compileAll],
  ["oneOf", compileAlternatives("oneOf")],
  ["if", compileCondition],
];

export const REFERENCE_KEYWORDS: Keywords = [
  ["$recursiveRef", compileDynamic("$recursiveRef")],
  ["$dynamicRef", compileDynamic("$dynamicRef")],
  ["$ref", compileReference],
];

function compileReference(wanted: unknown, schema: JsonObject, compiler: Compiler): CompiledCheck | undefined {
  if (typeof wanted !== "string") return undefined;
  const check = compiler.reference(schema, wanted);
  return (value, run, path, seen) => applyHere(check, value, run, path, seen);
}

function compileDynamic(keyword: DynamicKeyword): CompileKeyword {
  return (wanted, schema, compiler) => {
    if (typeof wanted !== "string") return undefined;
    const check = compiler.dynamicReference(schema, keyword, wanted);
    return (value, run, path, seen) => applyHere(check, value, run, path, seen);
  };
}

function compileNot(wanted: unknown, schema: JsonObject, compiler: Compiler): CompiledCheck {
  const check = compiler.schema(wanted);
  return (value, run, path) => !quietly(check, value, run, undefined) || mismatch(run, "not", schema, value, path);
}

function compileAll(wanted: unknown, _schema: JsonObject, compiler: Compiler): CompiledCheck | undefined {
  if (!Array.isArray(wanted)) return undefined;
  const checks = wanted.map((part) => compiler.schema(part));
  return (value, run, path, seen) => every(checks, run, (check) => applyHere(check, value, run, path, seen));
}

function compileAlternatives(keyword: "anyOf" | "oneOf"): CompileKeyword {
  return (wanted, schema, compiler) => {
    if (!Array.isArray(wanted)) return undefined;
    const checks = wanted.map((part) => compiler.schema(part));
    return (value, run, path, seen) => {
      const before = run.mismatches?.length ?? 0;
      const outer = run.alternatives;
      run.alternatives ??= run.nextAlternatives++;
      const fitting = countFitting(checks, keyword, value, run, path, seen);
      run.alternatives = outer;
      if (fitting === 0) return (run.mismatches?.length ?? 0) > before ? false : report();
      if (run.mismatches !== undefined) run.mismatches.length = before;
      return fitting === 1 || keyword === "anyOf" || report();

      function report(): false {
        return mismatch(run, keyword, schema, value, path);
      }
    };
  };
}

/** Stops as soon as the answer is known, unless what the alternatives evaluated is being tracked. */
function countFitting(
  checks: readonly CompiledCheck[],
  keyword: "anyOf" | "oneOf",
  value: unknown,
  run: CheckRun,
  path: string,
  seen: Seen | undefined,
): number {
  const enough = keyword === "oneOf" ? 2 : 1;
  let fitting = 0;
  for (const check of checks) {
    if (run.steps < 0) return fitting;
    if (applyHere(check, value, run, path, seen)) fitting += 1;
    if (fitting >= enough && seen === undefined) return fitting;
  }
  return fitting;
}

function compileCondition(wanted: unknown, schema: JsonObject, compiler: Compiler): CompiledCheck {
  const condition = compiler.schema(wanted);
  const then = schema.then === undefined ? undefined : compiler.schema(schema.then);
  const otherwise = schema.else === undefined ? undefined : compiler.schema(schema.else);
  return (value, run, path, seen) => {
    const looked = seen === undefined ? undefined : createSeen();
    const holds = quietly(condition, value, run, looked);
    if (holds && seen !== undefined && looked !== undefined && !addSeen(seen, looked, run)) return false;
    const next = holds ? then : otherwise;
    return next === undefined || applyHere(next, value, run, path, seen);
  };
}
