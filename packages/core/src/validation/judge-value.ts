import type { ArgumentProblem } from "../domain/call.ts";
import { describeMismatches } from "./describe-mismatches.ts";
import { type CompiledCheck, createRun, type Mismatch } from "./run.ts";

/** Nothing when the steps did not suffice. */
export function judgeValue(
  check: CompiledCheck,
  value: unknown,
  steps: number,
): readonly ArgumentProblem[] | undefined {
  const run = createRun(steps);
  const fits = check(value, run, "", undefined);
  if (run.steps < 0) return undefined;
  if (fits) return NO_PROBLEMS;
  // Only now is it worth knowing where and why.
  const mismatches: Mismatch[] = [];
  check(value, createRun(steps, mismatches), "", undefined);
  return describeMismatches(mismatches);
}

const NO_PROBLEMS: readonly ArgumentProblem[] = [];
