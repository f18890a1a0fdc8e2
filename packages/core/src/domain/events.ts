import type { ApprovalAnswer, ApprovalRequest } from "./approval.ts";
import type { CallRecord, Progress } from "./call.ts";
import type { ConnectionRetry, ConnectionStatus } from "./connection.ts";
import type { QuestionEnd, ServerQuestion } from "./question.ts";
import type { RunEnd } from "./run.ts";
import type { Scope } from "./server.ts";

/** What is told about servers and their tools. `sessionId` is set where they are a session's own. */
export type ServerEvent =
  | {
      readonly type: "connection-changed";
      readonly sessionId?: string;
      readonly scope: Scope;
      readonly server: string;
      readonly status: ConnectionStatus;
      readonly cause?: string;
      readonly retry?: ConnectionRetry;
    }
  /** Without `sessionId` it counts for sessions too: they have their tools over these. */
  | {
      readonly type: "toolbox-changed";
      readonly sessionId?: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | {
      readonly type: "offers-changed";
      readonly sessionId?: string;
      readonly server: string;
      readonly what: "resources" | "prompts";
    }
  | {
      readonly type: "resource-updated";
      readonly sessionId?: string;
      readonly server: string;
      readonly uri: string;
    };

/** A call as events tell it: what it answered is asked for, or comes to whoever made it. */
export type CallSummary = Omit<CallRecord, "result" | "owner">;

/** What is told about one call, to everybody and in the run it belongs to. */
export type CallEvent =
  /** Once for each status: pending, running, success or error; and once more when a late answer is noted. */
  | { readonly type: "call-changed"; readonly call: CallSummary }
  | { readonly type: "call-progressed"; readonly callId: string; readonly progress: Progress }
  | { readonly type: "approval-requested"; readonly request: ApprovalRequest }
  | {
      readonly type: "approval-answered";
      readonly callId: string;
      readonly answer: ApprovalAnswer["kind"] | "expired";
    }
  | { readonly type: "question-asked"; readonly question: ServerQuestion }
  | {
      readonly type: "question-answered";
      readonly questionId: string;
      readonly callId: string;
      readonly answer: QuestionEnd;
    };

/** The beginning and the end of a run, to everybody and in the run itself. */
export type RunMilestone =
  | { readonly type: "run-started"; readonly runId: string; readonly sessionId: string; readonly model: string }
  | { readonly type: "run-ended"; readonly runId: string; readonly end: RunEnd };

/**
 * Some events are not told: the reader was away too long, or its place is one of another process. What follows is told
 * whole; what is shown has to be asked for again.
 */
export interface Gap {
  readonly type: "gap";
}

/** Everything the engine announces. Events announce what is so already; nothing waits for one. They hold no secret. */
export type EngineEvent =
  | ServerEvent
  | CallEvent
  | RunMilestone
  | { readonly type: "config-changed"; readonly changes: readonly string[] }
  /** Messages were added, or it was removed. */
  | { readonly type: "session-changed"; readonly sessionId: string }
  | { readonly type: "grants-changed" }
  | { readonly type: "gpts-changed" }
  | { readonly type: "secrets-changed" }
  | Gap;

/** `id` is where to go on from, for a reader that was interrupted. */
export interface Numbered<E> {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly event: E;
}
