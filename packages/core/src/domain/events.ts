import type { ApprovalAnswer, ApprovalRequest } from "./approval.ts";
import type { CallRecord, Progress } from "./call.ts";
import type { ConnectionRetry, ConnectionStatus } from "./connection.ts";
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

/** Everything the engine announces. Events are copies: a listener can keep or change them freely (T1.9). */
export type EngineEvent =
  | ServerEvent
  | { readonly type: "config-changed"; readonly changes: readonly string[] }
  /** Messages were added, or it was removed. */
  | { readonly type: "session-changed"; readonly sessionId: string }
  | { readonly type: "grants-changed" }
  | { readonly type: "gpts-changed" }
  | { readonly type: "call-changed"; readonly call: CallRecord }
  | { readonly type: "call-progressed"; readonly callId: string; readonly progress: Progress }
  | { readonly type: "approval-requested"; readonly request: ApprovalRequest }
  | {
      readonly type: "approval-answered";
      readonly callId: string;
      readonly answer: ApprovalAnswer["kind"] | "expired";
    };

export type EventListener = (event: EngineEvent) => void;
