import type { RunEnd, RunEvent } from "@tacklebox/core";
import { toOutcomeJson } from "./outcome-json.ts";
import type { CallEndedJson, RunEventJson } from "./run-shapes.ts";

export function toRunEventJson(event: RunEvent): RunEventJson {
  switch (event.type) {
    case "run-started":
      return { type: event.type, run_id: event.runId, session_id: event.sessionId, model: event.model };
    case "waiting-for-servers":
      return { type: event.type, servers: event.servers };
    case "selection-made":
      return { type: event.type, ...event.selection };
    case "text":
    case "thought":
      return { type: event.type, text: event.text };
    case "call-pending": {
      const { type, id, server = null, tool, arguments: given } = event;
      return { type, call_id: id, server, tool, arguments: given };
    }
    case "call-running":
      return { type: event.type, call_id: event.id };
    case "call-progress":
      return { type: event.type, call_id: event.id, ...event.progress };
    case "approval-requested": {
      const { tool, shownName, arguments: given, reason, expiresAt } = event.request;
      const expires_at = new Date(expiresAt).toISOString();
      return {
        type: event.type,
        call_id: event.id,
        server: tool.server,
        tool: shownName,
        arguments: given,
        reason,
        expires_at,
      };
    }
    case "approval-answered":
      return { type: event.type, call_id: event.id, answer: event.answer };
    case "call-ended":
      return { type: event.type, ...toCallEnded(event) };
    case "usage":
      return { type: event.type, input_tokens: event.usage.inputTokens, output_tokens: event.usage.outputTokens };
    case "context-trimmed":
      return { type: event.type, messages: event.messages };
    case "run-ended":
      return { type: event.type, ...toEnd(event.end) };
  }
}

function toCallEnded({ outcome, text }: Extract<RunEvent, { type: "call-ended" }>): CallEndedJson {
  const { id: _, ...json } = toOutcomeJson(outcome, { tool: outcome.shownName, arguments: {} });
  return { ...json, text };
}

function toEnd(end: RunEnd): Omit<Extract<RunEventJson, { type: "run-ended" }>, "type"> {
  if (end.reason !== "model-error" || end.retryAfterMs === undefined) return end;
  const { retryAfterMs, ...rest } = end;
  return { ...rest, retry_after_ms: retryAfterMs };
}
