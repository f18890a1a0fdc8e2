import type { ArgumentProblem, CallFailure, CheckedCall, ResolvedCall } from "../domain/call.ts";
import type { Validator } from "../ports/validator.ts";

export type Check =
  | { readonly kind: "checked"; readonly call: CheckedCall }
  | { readonly kind: "ended"; readonly failure: CallFailure };

/** Arguments are checked before anything leaves, and again when a person edited them (S1.50). */
export async function checkArguments(call: ResolvedCall, validator: Validator, signal: AbortSignal): Promise<Check> {
  const { registered } = call;
  let problems: readonly ArgumentProblem[];
  try {
    problems = await validator.check(registered.tool.inputSchema, call.arguments, signal);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return ended(`The arguments of tool '${registered.shownName}' could not be checked: ${detail}`, []);
  }
  if (problems.length > 0) return ended(problemText(registered.shownName, problems), problems);
  // The only place where this type is made: the arguments have just passed.
  return { kind: "checked", call: call as CheckedCall };
}

function problemText(shownName: string, problems: readonly ArgumentProblem[]): string {
  const lines = problems.map(({ path, message }) => `${path === "" ? "arguments" : path}: ${message}`);
  return `Invalid arguments for tool '${shownName}': ${lines.join("; ")}`;
}

function ended(message: string, problems: readonly ArgumentProblem[]): Check {
  return { kind: "ended", failure: { ending: "invalid-arguments", message, problems } };
}
