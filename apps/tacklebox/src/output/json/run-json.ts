import type { CallSummary, RunEnd, RunEvent, UnseenDefinition } from "@tacklebox/core";
import { toOutcomeJson } from "./outcome-json.ts";
import type { CallEndedJson, RunEventJson } from "./run-shapes.ts";

/** Undefined for events that are not part of the output. */
export function toRunEventJson(event: RunEvent): RunEventJson | undefined {
  switch (event.type) {
    case "run-started":
      return { type: event.type, run_id: event.runId, session_id: event.sessionId, model: event.model };
    case "waiting-for-servers":
      return { type: event.type, servers: event.servers };
    case "selection-made":
      return { type: event.type, ...event.selection };
    case "definitions-new":
    case "definitions-withheld":
      return { type: event.type, tools: event.definitions.flatMap(toDefinitionJson) };
    case "text":
    case "thought":
      return { type: event.type, text: event.text };
    case "call-changed":
      return toChangedJson(event.call);
    case "call-progressed":
      return { type: "call-progress", call_id: event.callId, ...event.progress };
    case "approval-requested": {
      const { callId, tool, shownName, arguments: given, reason, expiresAt } = event.request;
      const expires_at = new Date(expiresAt).toISOString();
      return {
        type: event.type,
        call_id: callId,
        server: tool.server,
        tool: shownName,
        arguments: given,
        reason,
        expires_at,
      };
    }
    case "approval-answered":
      return { type: event.type, call_id: event.callId, answer: event.answer };
    case "call-result":
      return { type: "call-ended", ...toCallEnded(event) };
    case "usage":
      return { type: event.type, input_tokens: event.usage.inputTokens, output_tokens: event.usage.outputTokens };
    case "context-trimmed":
      return { type: event.type, messages: event.messages };
    case "run-ended":
      return { type: event.type, ...toEnd(event.end) };
    case "question-asked":
    case "question-answered":
    case "gap":
      return undefined;
  }
}

function toDefinitionJson({ server, shownName }: UnseenDefinition): { server: string; tool: string }[] {
  return shownName === undefined ? [] : [{ server, tool: shownName }];
}

/** Leaves out the end of a call, which is reported with its result. */
function toChangedJson({ id, server, shownName, arguments: given, status }: CallSummary): RunEventJson | undefined {
  if (status === "running") return { type: "call-running", call_id: id };
  if (status !== "pending") return undefined;
  return {
    type: "call-pending",
    call_id: id,
    server: server === "" ? null : server,
    tool: shownName,
    arguments: given,
  };
}

function toCallEnded({ outcome, text }: Extract<RunEvent, { type: "call-result" }>): CallEndedJson {
  const { id: _, ...json } = toOutcomeJson(outcome, { tool: outcome.shownName, arguments: {} });
  return { ...json, text };
}

function toEnd(end: RunEnd): Omit<Extract<RunEventJson, { type: "run-ended" }>, "type"> {
  if (end.reason !== "model-error" || end.retryAfterMs === undefined) return end;
  const { retryAfterMs, ...rest } = end;
  return { ...rest, retry_after_ms: retryAfterMs };
}
