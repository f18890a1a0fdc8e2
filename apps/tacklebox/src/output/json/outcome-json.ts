import { type CallOutcome, type CallRequest, LEFT_OUT_MARK, toResultText } from "@tacklebox/core";
import type { LineId, ParsedLine } from "../../json-lines/parse-line.ts";
import type { OutcomeJson } from "./json-shapes.ts";

export function toOutcomeJson(outcome: CallOutcome, request: CallRequest, id: LineId = null): OutcomeJson {
  const failure = outcome.status === "error" ? outcome.failure : undefined;
  const result = outcome.status === "success" ? outcome.result : outcome.failure.result;
  const leftOut = result?.meta?.[LEFT_OUT_MARK];
  return {
    id,
    call_id: outcome.callId,
    server: outcome.ref?.server ?? request.server ?? null,
    tool: outcome.ref?.name ?? request.tool,
    status: outcome.status,
    ...(failure ? { ending: failure.ending } : {}),
    is_error: outcome.status === "error",
    text: toResultText(outcome),
    content: result?.content ?? [],
    ...(result?.structuredContent === undefined ? {} : { structured_content: result.structuredContent }),
    ...(failure ? { error: failure.message } : {}),
    ...(failure?.problems ? { problems: failure.problems.map(({ path, message }) => ({ path, message })) } : {}),
    ...(Array.isArray(leftOut) ? { left_out: leftOut } : {}),
    duration_ms: outcome.durationMs,
  };
}

/** What is said about a call for which not even the engine had an outcome. */
export const BROKEN_CALL =
  "Tacklebox failed because of an internal error; the call may have run. Its log says more; please report it";

/** The outcome of an input line for which not even the engine had one. */
export function toBrokenJson(parsed: ParsedLine | undefined, line: number): OutcomeJson {
  const named = parsed?.kind === "request" ? parsed.request : parsed;
  const error = `line ${line}: ${BROKEN_CALL}`;
  return {
    id: parsed?.id ?? null,
    call_id: null,
    server: named?.server ?? null,
    tool: named?.tool ?? null,
    status: "error",
    ending: "interrupted",
    is_error: true,
    text: `MCP error: ${error}`,
    content: [],
    error,
    duration_ms: 0,
  };
}

/** The outcome of an input line that is not a valid call. */
export function toRefusedJson(refused: {
  readonly id: LineId;
  readonly server: string | null;
  readonly tool: string | null;
  readonly message: string;
}): OutcomeJson {
  return {
    id: refused.id,
    call_id: null,
    server: refused.server,
    tool: refused.tool,
    status: "error",
    ending: "invalid-arguments",
    is_error: true,
    text: `MCP error: ${refused.message}`,
    content: [],
    error: refused.message,
    duration_ms: 0,
  };
}
