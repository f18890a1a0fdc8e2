import type { ApprovalAnswer, Ending, IncludeMode, JsonObject, ModelErrorCode, RunEnd } from "@tacklebox/core";
import type { OutcomeJson } from "./json-shapes.ts";

/*
 * The output of `run --json`, one object per line. Scripts depend on these: fields and events may be added, never
 * renamed.
 */
export type RunEventJson =
  | { readonly type: "run-started"; readonly run_id: string; readonly session_id: string; readonly model: string }
  | ({ readonly type: "selection-made" } & SelectionJson)
  /** Tools that the model does not get, because nobody has seen what their servers say about them. */
  | {
      readonly type: "definitions-new" | "definitions-withheld";
      readonly tools: readonly { readonly server: string; readonly tool: string }[];
    }
  | { readonly type: "text" | "thought"; readonly text: string }
  | {
      readonly type: "call-pending";
      readonly call_id: string;
      readonly server: string | null;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  | { readonly type: "call-running"; readonly call_id: string }
  | {
      readonly type: "call-progress";
      readonly call_id: string;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  | {
      readonly type: "approval-requested";
      readonly call_id: string;
      readonly server: string;
      readonly tool: string;
      readonly arguments: JsonObject;
      readonly reason: string;
      readonly expires_at: string;
    }
  | {
      readonly type: "approval-answered";
      readonly call_id: string;
      readonly answer: ApprovalAnswer["kind"] | "expired";
    }
  | ({ readonly type: "call-ended" } & CallEndedJson)
  | { readonly type: "waiting-for-servers"; readonly servers: readonly string[] }
  | { readonly type: "usage"; readonly input_tokens: number; readonly output_tokens: number }
  | { readonly type: "context-trimmed"; readonly messages: number }
  | {
      readonly type: "run-ended";
      readonly reason: RunEnd["reason"];
      readonly code?: ModelErrorCode;
      readonly message?: string;
      readonly retry_after_ms?: number;
    };

/** The tools whose definitions were sent with a prompt, and how many were not. */
export interface SelectionJson {
  readonly tools: readonly {
    readonly name: string;
    readonly server: string;
    readonly mode: IncludeMode;
    readonly score?: number;
  }[];
  readonly left: number;
  readonly demoted: number;
  readonly capped: number;
}

/** Same as the output of `call`, but `text` is what the model was sent, which is cut when it is long. */
export type CallEndedJson = Omit<OutcomeJson, "id"> & { readonly ending?: Ending };

export const SELECTION_SHAPE = "tools: [{ name, server, mode, score? }], left, demoted, capped";

/** The same shapes as text, for `--help`. */
export const RUN_JSON_SHAPE = `{ type: "run-started", run_id, session_id, model }
  { type: "selection-made", ${SELECTION_SHAPE} }
  { type: "definitions-withheld", tools: [{ server, tool }] }
  { type: "text" | "thought", text }
  { type: "call-pending", call_id, server, tool, arguments }
  { type: "call-running", call_id }
  { type: "call-progress", call_id, progress, total?, message? }
  { type: "approval-requested", call_id, server, tool, arguments, reason, expires_at }
  { type: "approval-answered", call_id, answer: "allow" | "deny" | "expired" }
  { type: "call-ended", call_id, server, tool, status: "success" | "error", ending?, is_error, text,
    content: [block], structured_content?, error?, problems?: [{ path, message }], duration_ms }
  { type: "usage", input_tokens, output_tokens }
  { type: "context-trimmed", messages: count }
  { type: "run-ended", reason: "done" | "length" | "refused" | "cancelled" | "too-many-rounds" | "not-started" |
    "session-not-kept" | "interrupted" | "model-error", code?, message?, retry_after_ms? }
One object per line, as it happens. run-started comes first, unless the run cannot start; run-ended always comes last.`;
