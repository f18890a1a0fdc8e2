import type { JsonObject } from "../json/json.ts";
import type { SchemaResource } from "../json/schema-references.ts";

/** One keyword that a value does not satisfy. */
export interface Mismatch {
  readonly keyword: string;
  /** The schema that has the keyword. */
  readonly schema: JsonObject;
  readonly found: unknown;
  /** Where the value is, as a JSON pointer. */
  readonly path: string;
  /** For an object that allows no other members: the unknown member. */
  readonly name?: string;
  /** The number of the outermost `anyOf` or `oneOf` that the schema is part of, if any. */
  readonly alternatives?: number;
}

/** The state of one check of one value. Work is limited by counting steps: a schema decides how many it takes. */
export interface CheckRun {
  /** The steps left. Below zero the check is aborted, whatever it would have found. */
  steps: number;
  depth: number;
  /** Undefined while only the verdict matters: the first mismatch then ends the check. */
  mismatches: Mismatch[] | undefined;
  alternatives: number | undefined;
  nextAlternatives: number;
  /** The resources that the check is in, the outermost first. Kept only for schemas with dynamic references. */
  readonly resources: SchemaResource[];
}

/** The members and items of one value that keywords have evaluated so far, for `unevaluated…`. */
export interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/**
 * Returns whether the value fits. `path` is maintained only while mismatches are collected, `seen` only if it is given.
 */
export type CompiledCheck = (value: unknown, run: CheckRun, path: string, seen: Seen | undefined) => boolean;

/** More than anyone reads; describeMismatches makes even fewer sentences of them. */
const MAX_MISMATCHES = 500;

/** Real schemas and values are never this deep, and a stack overflow cannot be caught everywhere. */
const MAX_RUN_DEPTH = 250;

export function createRun(steps: number, mismatches?: Mismatch[]): CheckRun {
  return { steps, depth: 0, mismatches, alternatives: undefined, nextAlternatives: 0, resources: [] };
}

/** Spends steps on the work that follows; returns false if not enough are left. */
export function spend(run: CheckRun, steps: number): boolean {
  run.steps -= steps;
  return run.steps >= 0;
}

/**
 * Spends steps on iterating over `count` members or items, whatever is done with each: a schema can make us iterate
 * over the same large value again and again.
 */
export function spendOn(run: CheckRun, count: number): boolean {
  return spend(run, count >> 2);
}

/** Every check goes through here, so that both the width and the depth of a schema are limited. */
export function descend(run: CheckRun): boolean {
  if (!spend(run, run.depth < MAX_RUN_DEPTH ? 1 : Number.POSITIVE_INFINITY)) return false;
  run.depth += 1;
  return true;
}

export function mismatch(run: CheckRun, keyword: string, schema: JsonObject, found: unknown, path: string): false {
  if (run.mismatches !== undefined && run.mismatches.length < MAX_MISMATCHES)
    run.mismatches.push({
      keyword,
      schema,
      found,
      path,
      ...(run.alternatives !== undefined && { alternatives: run.alternatives }),
    });
  return false;
}

/** Checks without collecting mismatches, for schemas that the value need not match. */
export function quietly(check: CompiledCheck, value: unknown, run: CheckRun, seen: Seen | undefined): boolean {
  const { mismatches } = run;
  run.mismatches = undefined;
  const fits = check(value, run, "", seen);
  run.mismatches = mismatches;
  return fits;
}

/** Applies a schema to the same value; what it evaluated is added to `seen` only if the value fits. */
export function applyHere(
  check: CompiledCheck,
  value: unknown,
  run: CheckRun,
  path: string,
  seen: Seen | undefined,
): boolean {
  if (seen === undefined) return check(value, run, path, undefined);
  const own = createSeen();
  const fits = check(value, run, path, own);
  return fits && addSeen(seen, own, run);
}

export function createSeen(): Seen {
  return { names: new Set(), items: new Set() };
}

/** Returns false if not enough steps are left. */
export function addSeen(seen: Seen, more: Seen, run: CheckRun): boolean {
  if (!spendOn(run, more.names.size + more.items.size)) return false;
  for (const name of more.names) seen.names.add(name);
  for (const item of more.items) seen.items.add(item);
  return true;
}

export function childPath(run: CheckRun, path: string, step: string | number): string {
  if (run.mismatches === undefined) return "";
  return `${path}/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
