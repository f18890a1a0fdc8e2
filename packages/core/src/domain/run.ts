import type { ApprovalMode } from "./approval.ts";
import type { CallOutcome } from "./call.ts";
import type { Caller } from "./caller.ts";
import type { CallEvent, Gap, RunMilestone } from "./events.ts";
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
  /** Somebody behind this door sees approvals and questions and can answer them. Absent: asking means no (D.9). */
  readonly attended?: boolean;
  readonly caller?: Caller;
}

/** A run that goes on, or ended a while ago. */
export interface RunSummary {
  readonly id: string;
  /** Absent until it has one. */
  readonly sessionId?: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly status: "running" | "ended";
}

/**
 * Everything a door needs to show of a run, in order; `run-ended` always comes, and comes last. Calls of tools that are
 * ours and no server's (searching tools, reading on in a result) are told like all others but never recorded.
 */
export type RunEvent =
  | RunMilestone
  | CallEvent
  /** Servers of the session that are still connecting, by name: the run goes on when each is up, failed or out of time. */
  | { readonly type: "waiting-for-servers"; readonly servers: readonly string[] }
  /** Said once, before the first turn, where not every tool is sent to the model. */
  | { readonly type: "selection-made"; readonly selection: Selection }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  /** What a call came to. `text` is what the model is told of it. */
  | {
      readonly type: "call-result";
      readonly callId: string;
      readonly outcome: CallOutcome;
      readonly text: string;
    }
  | { readonly type: "usage"; readonly usage: Usage }
  /** Messages left out of the request because the model's window is full; they stay in the session. */
  | { readonly type: "context-trimmed"; readonly messages: number }
  | Gap;

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
