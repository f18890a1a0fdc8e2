import type { ScriptedCall, TurnScript } from "@tacklebox/core/testing";
import { failure, halves, interleaved } from "./chat-reply.ts";
import { type Reply, sse } from "./vendor-server.ts";

type Answer = Extract<TurnScript, { kind: "answer" }>;

/** A turn as OpenAI's responses API streams it, with item ids and encrypted reasoning. */
export function responsesReply(turn: TurnScript): Reply {
  if (turn.kind === "fail") return failure(turn.code, turn.retryAfterMs);
  const created = event({ type: "response.created", response: { id: "resp_1", created_at: 1, model: "m" } });
  if (turn.kind === "hang") return { kind: "stream", events: [created, ...textStart(0, turn.text)], after: "hang" };
  if (turn.kind === "cut") return { kind: "stream", events: [created, ...textStart(0, turn.text)], after: "break" };
  return { kind: "stream", events: [created, ...answerEvents(turn)] };
}

function answerEvents({ thought, text, calls = [], usage, end }: Answer): string[] {
  const firstCall = 2;
  const done = {
    id: "resp_1",
    usage: { input_tokens: usage?.inputTokens ?? 0, output_tokens: usage?.outputTokens ?? 0 },
    incomplete_details: end === "length" ? { reason: "max_output_tokens" } : incomplete(end),
  };
  return [
    ...(thought === undefined ? [] : reasoningEvents(thought)),
    ...(text === undefined ? [] : [...textStart(1, text), ...textDone(1, text)]),
    ...callEvents(calls, firstCall),
    event({ type: done.incomplete_details === null ? "response.completed" : "response.incomplete", response: done }),
  ];
}

function incomplete(end: Answer["end"]): { readonly reason: string } | null {
  return end === "refused" ? { reason: "content_filter" } : null;
}

function reasoningEvents(thought: string): string[] {
  const item = { type: "reasoning", id: "rs_1", encrypted_content: "sealed-1" };
  return [
    event({ type: "response.output_item.added", output_index: 0, item: { ...item, encrypted_content: null } }),
    event({ type: "response.reasoning_summary_part.added", item_id: "rs_1", summary_index: 0 }),
    ...halves(thought).map((delta) =>
      event({ type: "response.reasoning_summary_text.delta", item_id: "rs_1", summary_index: 0, delta }),
    ),
    event({ type: "response.reasoning_summary_part.done", item_id: "rs_1", summary_index: 0 }),
    event({ type: "response.output_item.done", output_index: 0, item }),
  ];
}

function textStart(index: number, text: string): string[] {
  return [
    event({ type: "response.output_item.added", output_index: index, item: { type: "message", id: "msg_1" } }),
    ...halves(text).map((delta) => event({ type: "response.output_text.delta", item_id: "msg_1", delta })),
  ];
}

function textDone(index: number, text: string): string[] {
  const content = [{ type: "output_text", text, annotations: [] }];
  return [
    event({ type: "response.output_item.done", output_index: index, item: { type: "message", id: "msg_1", content } }),
  ];
}

function callEvents(calls: readonly ScriptedCall[], first: number): string[] {
  const items = calls.map(({ id, tool, arguments: written }) => ({
    ...{ type: "function_call", id: `fc_${id}`, call_id: id, name: tool, arguments: written, status: "completed" },
  }));
  return [
    ...items.map((item, index) =>
      event({ type: "response.output_item.added", output_index: first + index, item: { ...item, arguments: "" } }),
    ),
    ...interleaved(calls.map((call) => call.arguments)).map(([index, delta]) =>
      event({
        ...{ type: "response.function_call_arguments.delta", item_id: items[index]?.id },
        ...{ output_index: first + index, delta },
      }),
    ),
    ...items.map((item, index) => event({ type: "response.output_item.done", output_index: first + index, item })),
  ];
}

function event(value: { readonly type: string; readonly [key: string]: unknown }): string {
  return sse(value, value.type);
}
