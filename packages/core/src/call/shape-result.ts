import type { ApprovedCall, CallFailure, ToolResult } from "../domain/call.ts";
import { type Redactor, redactJson } from "../domain/redact.ts";
import { toText } from "../domain/result-text.ts";
import type { Validator } from "../ports/validator.ts";

export interface ShapePorts {
  readonly validator: Validator;
  readonly redact: Redactor;
  readonly maxResultCharacters: number;
}

export type Shaped =
  | { readonly kind: "ok"; readonly result: ToolResult }
  | { readonly kind: "ended"; readonly failure: CallFailure };

/** Marks of ours in a result's `_meta`, so that whoever reads the result can tell what is not the server's word. */
const SCHEMA_MARK = "tacklebox/outputSchema";

/** What the caller gets of an answer: bounded, with known secrets struck out. Marks, never drops silently. */
export async function shapeResult(
  call: ApprovedCall,
  answer: ToolResult,
  ports: ShapePorts,
  signal: AbortSignal,
): Promise<Shaped> {
  const { shownName, tool } = call.registered;
  const size = JSON.stringify(answer).length;
  if (size > ports.maxResultCharacters) {
    const message = `Tool '${shownName}' answered with ${size} characters; at most ${ports.maxResultCharacters} are accepted. It has run`;
    return { kind: "ended", failure: { ending: "oversize", message } };
  }
  const result = redactJson(ports.redact, answer);
  if (result.isError) return { kind: "ended", failure: { ending: "tool-error", message: toText(result), result } };
  if (tool.outputSchema === undefined || result.structuredContent === undefined) return { kind: "ok", result };
  const mismatch = await firstMismatch(tool.outputSchema, result, ports.validator, signal);
  if (mismatch === undefined) return { kind: "ok", result };
  return { kind: "ok", result: { ...result, meta: { ...result.meta, [SCHEMA_MARK]: mismatch } } };
}

async function firstMismatch(
  schema: NonNullable<ApprovedCall["registered"]["tool"]["outputSchema"]>,
  result: ToolResult,
  validator: Validator,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const [problem] = await validator.check(schema, result.structuredContent, signal);
    return problem === undefined ? undefined : `${problem.path || "/"}: ${problem.message}`;
  } catch {
    return "could not be checked";
  }
}
