import * as z from "zod/mini";
import { JsonObject, object, optional, string } from "../json/schema.ts";
import type { ToolRef } from "./tool.ts";

/** When a tool's definition is part of a model request: always, when a person adds it, or when search finds it. */
export const IncludeMode = z.enum(["always", "manual", "agent"]);
export type IncludeMode = z.infer<typeof IncludeMode>;

/** The approval setting of a server or tool entry; it takes precedence over the door's approval mode. */
export const ToolApproval = z.enum(["auto", "ask", "deny"]);
export type ToolApproval = z.infer<typeof ToolApproval>;

/** How a door treats tools without an approval setting of their own. */
export const ApprovalMode = z.enum(["auto", "always-ask", "trusted-only"]);
export type ApprovalMode = z.infer<typeof ApprovalMode>;

export type PolicyLayer = "pin" | "tool" | "server" | "grant" | "gpt" | "door" | "person";

/** The policy's decision about one call, and the layer that made it. */
export interface Decision {
  readonly kind: "allow" | "ask" | "deny";
  readonly layer: PolicyLayer;
  readonly reason: string;
  /** Shown to people although the call goes on, such as for a definition that changed under `pin: warn`. */
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
  /** The definition that was approved before, if it has changed since: people must see the difference. */
  readonly changedFrom?: JsonObject;
  /** How long an answer may last. For a tool whose settings say `ask`, people are asked again in every session. */
  readonly lasting: readonly ApprovalLasting[];
  /** Milliseconds since the epoch, for people. How long an answer counts is measured, whatever the clock is set to. */
  readonly expiresAt: number;
}

/** How long an answer lasts: for this call, for the session, or until it is revoked or the tool changes. */
export const ApprovalLasting = z.enum(["once", "session", "always"]);
export type ApprovalLasting = z.infer<typeof ApprovalLasting>;

/** Digest and fingerprint must be those of the request being answered; otherwise the answer does not count. */
export const ApprovalAnswer = z.discriminatedUnion("kind", [
  object({
    kind: z.literal("allow"),
    argumentsDigest: string,
    fingerprint: string,
    /** Set if the person changed the arguments; they are checked again before the answer counts. */
    editedArguments: optional(JsonObject),
    /** `once` if absent. An answer with edited arguments is never remembered. */
    lasting: optional(ApprovalLasting),
  }),
  object({
    kind: z.literal("deny"),
    /** Passed on to the model. */
    reason: optional(string),
    lasting: optional(z.enum(["once", "session"])),
  }),
]);
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;
