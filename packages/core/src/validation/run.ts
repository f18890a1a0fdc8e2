import type { JsonObject } from "../json/json.ts";

/** One keyword that a value does not satisfy. */
export interface Mismatch {
  readonly keyword: string;
  /** The schema that has the keyword. */
  readonly schema: JsonObject;
  readonly found: unknown;
  /** Where the value is, as a JSON pointer. */
  readonly path: string;
  /** Of a closed object: the member it does not know. */
  readonly name?: string;
  /** The outermost alternatives of which the schema is part, if it is. */
  readonly alternatives?: number;
}

/** One check of one value. Steps are the only clock of an interpreter: a schema decides how many it takes. */
export interface CheckRun {
  /** Below zero the check is over, whatever it would have found. */
  steps: number;
  depth: number;
  /** Absent while only the verdict counts: the first mismatch then ends the check. */
  mismatches: Mismatch[] | undefined;
  alternatives: number | undefined;
  nextAlternatives: number;
}

/** Which members and items of one value the keywords so far have looked at, for `unevaluated…`. */
export interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/** Whether the value fits. `path` is kept only while mismatches are collected, `seen` only where it is asked for. */
export type CompiledCheck = (value: unknown, run: CheckRun, path: string, seen: Seen | undefined) => boolean;

/** More than anybody reads; the sentences made of them are fewer still. */
const MOST_MISMATCHES = 500;

/** Schemas and values this deep are no real ones, and a stack that runs out cannot be caught everywhere. */
const DEEPEST_RUN = 250;

export function createRun(steps: number, mismatches?: Mismatch[]): CheckRun {
  return { steps, depth: 0, mismatches, alternatives: undefined, nextAlternatives: 0 };
}

/** Takes the steps of what comes next; false when there are not as many left. */
export function spend(run: CheckRun, steps: number): boolean {
  run.steps -= steps;
  return run.steps >= 0;
}

/**
 * Takes the steps of looking at that many members or items, whatever is done with each: a schema can have the same
 * large value looked at again and again (T27).
 */
export function spendOn(run: CheckRun, count: number): boolean {
  return spend(run, count >> 2);
}

/** Every check passes here, so that neither width nor depth of a schema goes unnoticed. */
export function descend(run: CheckRun): boolean {
  if (!spend(run, run.depth < DEEPEST_RUN ? 1 : Number.POSITIVE_INFINITY)) return false;
  run.depth += 1;
  return true;
}

export function mismatch(run: CheckRun, keyword: string, schema: JsonObject, found: unknown, path: string): false {
  if (run.mismatches !== undefined && run.mismatches.length < MOST_MISMATCHES)
    run.mismatches.push({
      keyword,
      schema,
      found,
      path,
      ...(run.alternatives !== undefined && { alternatives: run.alternatives }),
    });
  return false;
}

/** The verdict alone: what does not fit here is no mistake of the caller's. */
export function quietly(check: CompiledCheck, value: unknown, run: CheckRun, seen: Seen | undefined): boolean {
  const { mismatches } = run;
  run.mismatches = undefined;
  const fits = check(value, run, "", seen);
  run.mismatches = mismatches;
  return fits;
}

/** Applies a schema to the same value; what it looked at counts only when the value fits. */
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

/** False when there were not enough steps left. */
export function addSeen(seen: Seen, more: Seen, run: CheckRun): boolean {
  if (!spendOn(run, more.names.size + more.items.size)) return false;
  for (const name of more.names) seen.names.add(name);
  for (const item of more.items) seen.items.add(item);
  return true;
}

export function below(run: CheckRun, path: string, step: string | number): string {
  if (run.mismatches === undefined) return "";
  return `${path}/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
