import type { JsonObject } from "../json/json.ts";
import type { ToolRef } from "./tool.ts";

/** Is the tool's definition part of a model request: always, when a person adds it, or when search finds it. */
export type IncludeMode = "always" | "manual" | "agent";

/** What a server or tool entry may say about approval; it wins over the door's approval mode. */
export type ToolApproval = "auto" | "ask" | "deny";

/** What a door does with tools nobody said anything about (S1.33). */
export type ApprovalMode = "auto" | "always-ask" | "trusted-only";

export type PolicyLayer = "pin" | "tool" | "server" | "grant" | "gpt" | "door" | "person";

/** What policy says about one call, and which layer said it. */
export interface Decision {
  readonly kind: "allow" | "ask" | "deny";
  readonly layer: PolicyLayer;
  readonly reason: string;
  /** Said to people although the call goes on, such as a definition that changed under `pin: warn`. */
  readonly warning?: string;
}

export interface ApprovalRequest {
  readonly callId: string;
  readonly tool: ToolRef;
  readonly shownName: string;
  readonly arguments: JsonObject;
  readonly argumentsDigest: string;
  readonly fingerprint: string;
  readonly reason: string;
  /** The session the call belongs to, if any. */
  readonly sessionId?: string;
  /** The tool's definition as the server sent it. */
  readonly definition: JsonObject;
  /** What was agreed to before, when the definition changed since: people must see the difference. */
  readonly changedFrom?: JsonObject;
  /** How long an answer may hold. A tool whose settings say `ask` is asked about again in every session. */
  readonly lasting: readonly ApprovalLasting[];
  /** Milliseconds since the epoch; an answer after it does not count. */
  readonly expiresAt: number;
}

/** For this call, for the session, or until it is revoked or the tool changes. */
export type ApprovalLasting = "once" | "session" | "always";

/** Digest and fingerprint are those of the request answered: an answer to anything else does not count. */
export type ApprovalAnswer =
  | {
      readonly kind: "allow";
      readonly argumentsDigest: string;
      readonly fingerprint: string;
      /** Set when the person changed the arguments; they are checked again before the answer counts. */
      readonly editedArguments?: JsonObject;
      /** Once when absent. An edited answer is never remembered. */
      readonly lasting?: ApprovalLasting;
    }
  /** The reason is passed on to the model. */
  | { readonly kind: "deny"; readonly reason?: string; readonly lasting?: "once" | "session" };
