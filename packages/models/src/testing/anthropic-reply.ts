import type { ModelErrorCode } from "@tacklebox/core";
import type { ScriptedCall, TurnScript } from "@tacklebox/core/testing";
import { halves, interleaved } from "./chat-reply.ts";
import { type Reply, sse } from "./vendor-server.ts";

type Answer = Extract<TurnScript, { kind: "answer" }>;

const FINISH = { stop: "end_turn", calls: "tool_use", length: "max_tokens", refused: "refusal" } as const;

/** A turn as Anthropic's messages API streams it, with signed thinking. */
export function anthropicReply(turn: TurnScript): Reply {
  if (turn.kind === "fail") return failure(turn.code, turn.retryAfterMs);
  const opening = [start({ inputTokens: 1, outputTokens: 0 }), ...openBlock(0, { type: "text", text: "" })];
  if (turn.kind !== "answer") {
    const said = delta(0, { type: "text_delta", text: turn.text });
    return { kind: "stream", events: [...opening, said], after: turn.kind === "hang" ? "hang" : "break" };
  }
  return { kind: "stream", events: answerEvents(turn) };
}

function answerEvents({ thought, text, calls = [], usage, end }: Answer): string[] {
  const blocks = [
    ...(thought === undefined ? [] : [thinkingBlock(thought)]),
    ...(text === undefined ? [] : [textBlock(text)]),
  ];
  const stop_reason = FINISH[end ?? (calls.length > 0 ? "calls" : "stop")];
  return [
    start(usage ?? { inputTokens: 0, outputTokens: 0 }),
    ...blocks.flatMap(({ opening, deltas }, index) => [
      ...openBlock(index, opening),
      ...deltas.map((piece) => delta(index, piece)),
      event({ type: "content_block_stop", index }),
    ]),
    ...callEvents(calls, blocks.length),
    event({
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage?.outputTokens ?? 0 },
    }),
    event({ type: "message_stop" }),
  ];
}

/** Blocks that are open at the same time, as some gateways send them; each delta names its block. */
function callEvents(calls: readonly ScriptedCall[], first: number): string[] {
  return [
    ...calls.flatMap(({ id, tool }, index) =>
      openBlock(first + index, { type: "tool_use", id, name: tool, input: {} }),
    ),
    ...interleaved(calls.map((call) => call.arguments)).map(([index, piece]) =>
      delta(first + index, { type: "input_json_delta", partial_json: piece }),
    ),
    ...calls.map((_, index) => event({ type: "content_block_stop", index: first + index })),
  ];
}

function thinkingBlock(thought: string) {
  const deltas = halves(thought).map((thinking) => ({ type: "thinking_delta", thinking }));
  return {
    opening: { type: "thinking", thinking: "", signature: "" },
    deltas: [...deltas, { type: "signature_delta", signature: "signed-1" }],
  };
}

function textBlock(text: string) {
  return {
    opening: { type: "text", text: "" },
    deltas: halves(text).map((piece) => ({ type: "text_delta", text: piece })),
  };
}

function start(usage: { readonly inputTokens: number; readonly outputTokens: number }): string {
  const message = { type: "message", id: "msg_1", role: "assistant", model: "m", content: [], stop_reason: null };
  const used = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  return event({ type: "message_start", message: { ...message, stop_sequence: null, usage: used } });
}

function openBlock(index: number, content_block: object): string[] {
  return [event({ type: "content_block_start", index, content_block }), event({ type: "ping" })];
}

function delta(index: number, piece: object): string {
  return event({ type: "content_block_delta", index, delta: piece });
}

function event(value: { readonly type: string; readonly [key: string]: unknown }): string {
  return sse(value, value.type);
}

const ERRORS: Readonly<Record<Exclude<ModelErrorCode, "cancelled" | "bad-answer">, readonly [number, object]>> = {
  auth: [401, { type: "authentication_error", message: "invalid x-api-key" }],
  "rate-limit": [429, { type: "rate_limit_error", message: "Too many requests" }],
  "context-too-long": [400, { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000" }],
  refused: [400, { type: "invalid_request_error", message: "Output blocked by content filtering policy" }],
  unreachable: [500, { type: "api_error", message: "Internal server error" }],
};

function failure(code: ModelErrorCode, retryAfterMs: number | undefined): Reply {
  if (code === "bad-answer" || code === "cancelled") return { kind: "stream", events: [sse("{this is no JSON")] };
  const [status, error] = ERRORS[code];
  const headers = retryAfterMs === undefined ? {} : { "retry-after": String(retryAfterMs / 1000) };
  return { kind: "body", status, body: JSON.stringify({ type: "error", error }), headers };
}
