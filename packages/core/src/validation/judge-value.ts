import type { ArgumentProblem } from "../domain/call.ts";
import { describeMismatches } from "./describe-mismatches.ts";
import { type CompiledCheck, createRun, type Mismatch } from "./run.ts";

/** Returns what is wrong with the value, or undefined if the check needs more than `steps`. */
export function judgeValue(
  check: CompiledCheck,
  value: unknown,
  steps: number,
): readonly ArgumentProblem[] | undefined {
  const run = createRun(steps);
  const fits = check(value, run, "", undefined);
  if (run.steps < 0) return undefined;
  if (fits) return NO_PROBLEMS;
  // Most values fit, so where and why one does not is determined only now.
  const mismatches: Mismatch[] = [];
  check(value, createRun(steps, mismatches), "", undefined);
  return describeMismatches(mismatches);
}

const NO_PROBLEMS: readonly ArgumentProblem[] = [];
