import type { ApprovalAnswer, ApprovalMode, ApprovalRequest } from "./approval.ts";
import type { CallOutcome, Progress } from "./call.ts";
import type { JsonObject } from "./json.ts";
import type { ImagePart, TextPart, Usage } from "./message.ts";
import type { ModelErrorCode } from "./model.ts";
import type { Selection } from "./selection.ts";
import type { ToolChoice } from "./session.ts";

export interface RunRequest {
  readonly prompt: readonly (TextPart | ImagePart)[];
  /** Goes on with this session; a new one when absent. */
  readonly sessionId?: string;
  readonly gpt?: string;
  readonly model?: string;
  /** Put into the session, or taken out of it, before the prompt and for good: by shown name or `server:tool`. */
  readonly tools?: Readonly<Record<string, ToolChoice>>;
  /** Wins over the GPT's. */
  readonly approvalMode?: ApprovalMode;
  /** How many times the model may be asked; 20 when absent (C2.3). */
  readonly maxRounds?: number;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Somebody behind this door sees approvals and can answer them. Absent: asking means no (D.9). */
  readonly attended?: boolean;
  /** Asked before each call, for doors whose people change their mind while a run goes on. Wins over the request's. */
  readonly approvalMode?: () => ApprovalMode;
}

/** Everything a door needs to show of a run, in order. `run-ended` always comes, and comes last. */
export type RunEvent =
  | { readonly type: "run-started"; readonly runId: string; readonly sessionId: string; readonly model: string }
  /** Servers of the session that are still connecting, by name: the run goes on when each is up, failed or out of time. */
  | { readonly type: "waiting-for-servers"; readonly servers: readonly string[] }
  /** Said once, before the first turn, where not every tool is sent to the model. */
  | { readonly type: "selection-made"; readonly selection: Selection }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  /** The model asked for a tool. `id` is the call's for all events that follow. */
  | {
      readonly type: "call-pending";
      readonly id: string;
      readonly tool: string;
      readonly server?: string;
      readonly arguments: JsonObject;
    }
  | { readonly type: "call-running"; readonly id: string }
  | { readonly type: "call-progress"; readonly id: string; readonly progress: Progress }
  | { readonly type: "approval-requested"; readonly id: string; readonly request: ApprovalRequest }
  | { readonly type: "approval-answered"; readonly id: string; readonly answer: ApprovalAnswer["kind"] | "expired" }
  /** `text` is what the model is told of it. */
  | { readonly type: "call-ended"; readonly id: string; readonly outcome: CallOutcome; readonly text: string }
  | { readonly type: "usage"; readonly usage: Usage }
  /** Messages left out of the request because the model's window is full; they stay in the session. */
  | { readonly type: "context-trimmed"; readonly messages: number }
  | { readonly type: "run-ended"; readonly end: RunEnd };

export type RunEnd =
  | { readonly reason: "done" | "length" | "refused" | "cancelled" }
  | { readonly reason: "too-many-rounds"; readonly message: string }
  /** There is no such GPT, model or session; nothing was sent. */
  | { readonly reason: "not-started"; readonly message: string }
  /** The store refused what was said, such as on a full disk. */
  | { readonly reason: "session-not-kept"; readonly message: string }
  | {
      readonly reason: "model-error";
      readonly code: ModelErrorCode;
      readonly message: string;
      /** How long the vendor asks to wait, where it says so. */
      readonly retryAfterMs?: number;
    };
