import type { StopSignal } from "../../async/stop.ts";
import type { ApprovedCall, CallFailure, ToolResult } from "../../domain/call.ts";
import { nestsDeeper } from "../../json/nesting.ts";
import type { Redactor } from "../../ports/known-secrets.ts";
import type { Validator } from "../../ports/validator.ts";
import { redactJson } from "../../secrets/redact.ts";
import { mostBytes } from "../most-bytes.ts";
import { toText } from "../result-text.ts";

export interface ShapeDeps {
  readonly validator: Validator;
  readonly redact: Redactor;
  readonly maxResultCharacters: number;
}

export type Shaped =
  | {
      readonly kind: "ok";
      readonly result: ToolResult;
      /** See mostBytes. */
      readonly most: number;
    }
  | { readonly kind: "ended"; readonly failure: CallFailure };

/** The key in a result's `_meta` for a note from Tacklebox, so that readers can tell it from the server's own data. */
const SCHEMA_MARK = "tacklebox/outputSchema";
/**
 * The same for the JSON pointers of arguments that were left out of the call because they were null. Only this file
 * writes it: a server's own is taken out.
 */
export const LEFT_OUT_MARK = "tacklebox/leftOut";

/**
 * Turns a server's answer into what the caller gets: bounded in size and with known secrets redacted. Content that does
 * not fit its schema is marked, never silently dropped.
 */
export function shapeResult(
  call: ApprovedCall,
  served: ToolResult,
  deps: ShapeDeps,
  signal: StopSignal,
): Shaped | Promise<Shaped> {
  const { shownName, tool } = call.registered;
  const answer = markLeftOut(served, call.leftOut);
  const most = mostBytes(answer);
  const isSmall = most <= SMALL_BYTES;
  if (!isSmall && nestsDeeper(answer, MAX_RESULT_DEPTH)) {
    const message = `Tool '${shownName}' answered with a result nested more than ${MAX_RESULT_DEPTH} levels deep. It has run`;
    return { kind: "ended", failure: { ending: "oversize", message } };
  }
  const size = isSmall ? 0 : JSON.stringify(answer).length;
  if (size > deps.maxResultCharacters) {
    const message = `Tool '${shownName}' answered with ${size} characters; at most ${deps.maxResultCharacters} are accepted. It has run`;
    return { kind: "ended", failure: { ending: "oversize", message } };
  }
  const result = redactJson(deps.redact, answer);
  if (result.isError) return { kind: "ended", failure: { ending: "tool-error", message: toText(result), result } };
  if (tool.outputSchema === undefined || result.structuredContent === undefined) return { kind: "ok", result, most };
  return markMismatch(tool.outputSchema, result, deps, signal);
}

/** Deeper results would overflow the stack of code that stores, shows or sends them. */
const MAX_RESULT_DEPTH = 500;
/** Not worth serializing only to measure it. */
const SMALL_BYTES = 256 * 1024;

function markLeftOut(answer: ToolResult, leftOut: ApprovedCall["leftOut"]): ToolResult {
  if (leftOut === undefined && answer.meta?.[LEFT_OUT_MARK] === undefined) return answer;
  const { [LEFT_OUT_MARK]: _own, ...meta } = answer.meta ?? {};
  return { ...answer, meta: leftOut === undefined ? meta : { ...meta, [LEFT_OUT_MARK]: leftOut } };
}

async function markMismatch(
  schema: NonNullable<ApprovedCall["registered"]["tool"]["outputSchema"]>,
  result: ToolResult,
  { validator, redact }: ShapeDeps,
  signal: StopSignal,
): Promise<Shaped> {
  const mismatch = await firstMismatch(schema, result, validator, signal);
  if (mismatch === undefined) return { kind: "ok", result, most: Infinity };
  return {
    kind: "ok",
    most: Infinity,
    result: { ...result, meta: { ...result.meta, [SCHEMA_MARK]: redact(mismatch) } },
  };
}

async function firstMismatch(
  schema: NonNullable<ApprovedCall["registered"]["tool"]["outputSchema"]>,
  result: ToolResult,
  validator: Validator,
  signal: StopSignal,
): Promise<string | undefined> {
  try {
    const [problem] = await validator.check(schema, result.structuredContent, signal);
    return problem === undefined ? undefined : `${problem.path || "/"}: ${problem.message}`;
  } catch {
    return "could not be checked";
  }
}
