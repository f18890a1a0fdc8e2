import type { ArgumentProblem } from "../domain/call.ts";
import type { JsonSchema } from "../domain/json.ts";

/** Checks values against schemas that are too costly to check inline. */
export interface Validator {
  /** An empty list means valid. Rejects when the check cannot be finished (deadline, broken schema). */
  check(schema: JsonSchema, value: unknown, signal: AbortSignal): Promise<readonly ArgumentProblem[]>;
}
