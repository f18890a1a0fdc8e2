import type { ApprovalAnswer, ApprovalRequest } from "./approval.ts";
import type { CallRecord, Progress } from "./call.ts";
import type { ConnectionRetry, ConnectionStatus } from "./connection.ts";
import type { QuestionEnd, ServerQuestion } from "./question.ts";
import type { RunEnd } from "./run.ts";
import type { Scope } from "./server.ts";

/** Events about servers and their tools. `sessionId` is set if the server is a session's own. */
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
  /** Without `sessionId` it concerns sessions too: they add their tools to the agent's. */
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

/** A call as events report it. The result goes to the caller only; others load the call. */
export type CallSummary = Omit<CallRecord, "result" | "owner">;

/** Events about one call, sent to every listener and in the run it belongs to. */
export type CallEvent =
  /** Sent once for each status (pending, running, success or error), and once more if a late answer is recorded. */
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

/** The start and end of a run, sent to every listener and in the run itself. */
export type RunMilestone =
  | { readonly type: "run-started"; readonly runId: string; readonly sessionId: string; readonly model: string }
  | { readonly type: "run-ended"; readonly runId: string; readonly end: RunEnd };

/**
 * Some events are missing here: the reader was away too long, or its position belongs to another process. Events after
 * this one are complete; the reader has to reload what it shows.
 */
export interface Gap {
  readonly type: "gap";
}

/** All events of the engine. They announce what has already happened; nothing waits for them. They hold no secrets. */
export type EngineEvent =
  | ServerEvent
  | CallEvent
  | RunMilestone
  | { readonly type: "config-changed"; readonly changes: readonly string[] }
  /** The session got new messages or was removed. */
  | { readonly type: "session-changed"; readonly sessionId: string }
  | { readonly type: "grants-changed" }
  | { readonly type: "gpts-changed" }
  | { readonly type: "secrets-changed" }
  | Gap;

/** `id` is the position from which an interrupted reader can continue. */
export interface Numbered<E> {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly event: E;
}
