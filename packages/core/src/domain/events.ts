import type { ApprovalAnswer, ApprovalRequest } from "./approval.ts";
import type { CallRecord, Progress } from "./call.ts";
import type { ConnectionStatus } from "./connection.ts";
import type { Scope } from "./server.ts";

/** Everything the engine announces. Events are copies: a listener can keep or change them freely (T1.9). */
export type EngineEvent =
  | {
      readonly type: "connection-changed";
      readonly scope: Scope;
      readonly server: string;
      readonly status: ConnectionStatus;
      readonly cause?: string;
    }
  | { readonly type: "toolbox-changed"; readonly added: readonly string[]; readonly removed: readonly string[] }
  | { readonly type: "config-changed"; readonly changes: readonly string[] }
  | { readonly type: "offers-changed"; readonly server: string; readonly what: "resources" | "prompts" }
  | { readonly type: "resource-updated"; readonly server: string; readonly uri: string }
  | { readonly type: "call-changed"; readonly call: CallRecord }
  | { readonly type: "call-progressed"; readonly callId: string; readonly progress: Progress }
  | { readonly type: "approval-requested"; readonly request: ApprovalRequest }
  | {
      readonly type: "approval-answered";
      readonly callId: string;
      readonly answer: ApprovalAnswer["kind"] | "expired";
    };

export type EventListener = (event: EngineEvent) => void;
