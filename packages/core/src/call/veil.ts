import type { CallOutcome } from "../domain/call.ts";

/**
 * The outcome as a model, or a client of another program, is told it: what is hidden from them does not exist (T25).
 * Records, cards and the command line get the outcome itself.
 */
export function veiled(outcome: CallOutcome): CallOutcome {
  if (outcome.status === "success" || outcome.failure.veil === undefined) return outcome;
  const { veil, ...failure } = outcome.failure;
  return { ...outcome, failure: { ...failure, ...veil } };
}
