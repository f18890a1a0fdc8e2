import type { ModelErrorCode } from "@tacklebox/core";
import type { TurnScript } from "@tacklebox/core/testing";
import { type Reply, sse } from "./vendor-server.ts";

type Answer = Extract<TurnScript, { kind: "answer" }>;

const FINISH = { stop: "stop", calls: "tool_calls", length: "length", refused: "content_filter" } as const;

/** A turn as OpenAI's chat API and compatible servers stream it. Calls come in interleaved fragments. */
export function chatReply(turn: TurnScript): Reply {
  if (turn.kind === "fail") return failure(turn.code, turn.retryAfterMs);
  if (turn.kind === "hang") return { kind: "stream", events: [delta({ content: turn.text })], after: "hang" };
  if (turn.kind === "cut") return { kind: "stream", events: [delta({ content: turn.text })], after: "break" };
  return { kind: "stream", events: [...answerEvents(turn), sse("[DONE]")] };
}

function answerEvents({ thought, text, calls = [], usage, end }: Answer): string[] {
  const reason = FINISH[end ?? (calls.length > 0 ? "calls" : "stop")];
  return [
    delta({ role: "assistant", content: "" }),
    ...(thought === undefined ? [] : [delta({ reasoning_content: thought })]),
    ...halves(text ?? "").map((content) => delta({ content })),
    ...calls.map(({ id, tool }, index) =>
      delta({ tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }] }),
    ),
    ...interleaved(calls.map((call) => call.arguments)).map(([index, piece]) =>
      delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
    sse({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }] }),
    ...(usage === undefined
      ? []
      : [
          sse({
            ...chunk,
            choices: [],
            usage: {
              prompt_tokens: usage.inputTokens,
              completion_tokens: usage.outputTokens,
              total_tokens: usage.inputTokens + usage.outputTokens,
            },
          }),
        ]),
  ];
}

const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };

function delta(content: object): string {
  return sse({ ...chunk, choices: [{ index: 0, delta: content, finish_reason: null }] });
}

export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}

/** Splits texts into pieces of three characters, one from each text in turn. */
export function interleaved(texts: readonly string[]): [index: number, piece: string][] {
  const longest = Math.max(0, ...texts.map((text) => text.length));
  const starts = Array.from({ length: Math.ceil(longest / 3) }, (_, step) => step * 3);
  return starts.flatMap((start) =>
    texts.flatMap((text, index): [number, string][] =>
      start < text.length ? [[index, text.slice(start, start + 3)]] : [],
    ),
  );
}

const ERRORS: Readonly<Record<Exclude<ModelErrorCode, "cancelled" | "bad-answer">, readonly [number, object]>> = {
  auth: [401, { message: "Incorrect API key provided: sk-te****1234.", code: "invalid_api_key" }],
  "rate-limit": [429, { message: "Rate limit reached", code: "rate_limit_exceeded" }],
  "context-too-long": [400, { message: "Too many tokens", code: "context_length_exceeded" }],
  refused: [400, { message: "Flagged", code: "content_policy_violation" }],
  unreachable: [500, { message: "The server had an error", type: "server_error" }],
};

export function failure(code: ModelErrorCode, retryAfterMs: number | undefined): Reply {
  if (code === "bad-answer" || code === "cancelled") return { kind: "stream", events: [sse("{this is no JSON")] };
  const [status, error] = ERRORS[code];
  const headers = retryAfterMs === undefined ? {} : { "retry-after": String(retryAfterMs / 1000) };
  return { kind: "body", status, body: JSON.stringify({ error: { type: "error", param: null, ...error } }), headers };
}
