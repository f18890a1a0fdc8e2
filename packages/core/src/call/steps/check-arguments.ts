import type { StopSignal } from "../../async/stop.ts";
import type { ArgumentProblem, CallFailure, CheckedCall, ResolvedCall } from "../../domain/call.ts";
import { leaveOutNulls } from "../../json/leave-out-nulls.ts";
import type { Redactor } from "../../ports/known-secrets.ts";
import type { Validator } from "../../ports/validator.ts";
import { shapeProblems } from "../../validation/reserved-keys.ts";

export type Check =
  | { readonly kind: "checked"; readonly call: CheckedCall }
  | { readonly kind: "ended"; readonly failure: CallFailure };

export interface CheckDeps {
  readonly validator: Validator;
  readonly redact: Redactor;
}

/** Checks the arguments before anything is sent, and again after a person edited them. */
export function checkArguments(
  call: ResolvedCall,
  { validator, redact }: CheckDeps,
  signal: StopSignal,
): Check | Promise<Check> {
  const { registered, unreadable } = call;
  const { tool } = registered;
  if (unreadable !== undefined)
    return ended(
      `The arguments of tool '${registered.shownName}' cannot be read as a JSON object: ${shown(redact(unreadable))}`,
      [],
    );
  const shape = shapeProblems(tool.inputSchema, call.arguments);
  if (shape.length > 0) return toCheck(call, shape);
  const sent = withoutNulls(call);
  const problems = validator.check(tool.inputSchema, sent.arguments, signal);
  if (!(problems instanceof Promise)) return toCheck(sent, problems);
  return problems.then(
    (found) => toCheck(sent, found),
    (error: unknown) => unfinished(sent, error, signal),
  );
}

function withoutNulls(call: ResolvedCall): ResolvedCall {
  const { arguments: kept, leftOut } = leaveOutNulls(call.registered.tool.inputSchema, call.arguments);
  return leftOut.length === 0 ? call : { ...call, arguments: kept, leftOut };
}

const MAX_QUOTE_LENGTH = 200;

/** Quotes enough to see what is wrong, most often at the end. Pass redacted text: half a secret is too much as well. */
function shown(text: string): string {
  if (text.length <= MAX_QUOTE_LENGTH) return text;
  return `${text.slice(0, MAX_QUOTE_LENGTH / 2)} … ${text.slice(-MAX_QUOTE_LENGTH / 2)}`;
}

function toCheck(call: ResolvedCall, problems: readonly ArgumentProblem[]): Check {
  if (problems.length > 0) return ended(problemText(call.registered.shownName, problems), problems);
  // The only place where this type is made: the arguments have just passed the schema.
  return { kind: "checked", call: call as CheckedCall };
}

function unfinished({ registered }: ResolvedCall, error: unknown, signal: StopSignal): Check {
  if (signal.aborted) return CANCELLED;
  const detail = error instanceof Error ? error.message : String(error);
  return ended(`The arguments of tool '${registered.shownName}' could not be checked: ${detail}`, []);
}

const CANCELLED: Check = {
  kind: "ended",
  failure: { ending: "cancelled", message: "The call was cancelled while its arguments were checked" },
};

function problemText(shownName: string, problems: readonly ArgumentProblem[]): string {
  const lines = problems.map(
    ({ path, message, ofArguments }) => ofArguments ?? `${path === "" ? "arguments" : path}: ${message}`,
  );
  return `Invalid arguments for tool '${shownName}': ${lines.join("; ")}`;
}

function ended(message: string, problems: readonly ArgumentProblem[]): Check {
  return { kind: "ended", failure: { ending: "invalid-arguments", message, problems } };
}
