import type * as z from "zod/mini";
import { boolean, list, map, number, object, optional, string } from "../json/schema.ts";
import { ApprovalMode } from "./approval.ts";
import type { CallOutcome } from "./call.ts";
import { Caller } from "./caller.ts";
import type { CallEvent, Gap, RunMilestone } from "./events.ts";
import type { UnseenDefinition } from "./inventory.ts";
import { PromptPart, type Usage } from "./message.ts";
import type { ModelErrorCode } from "./model.ts";
import type { Selection } from "./selection.ts";
import { ToolChoice } from "./session.ts";

export const RunRequest = object({
  prompt: list(PromptPart),
  /** The session to continue; a new one is created if absent. */
  sessionId: optional(string),
  gpt: optional(string),
  model: optional(string),
  /** Tools to add to or remove from the session, permanently, before the prompt: by shown name or `server:tool`. */
  tools: optional(map(ToolChoice)),
  /** Takes precedence over the GPT's. */
  approvalMode: optional(ApprovalMode),
  /** How many times the model may be asked; 20 if absent. */
  maxRounds: optional(number),
});
export type RunRequest = z.infer<typeof RunRequest>;

export const RunOptions = object({
  /** True if a person sees approvals and questions and can answer them. Otherwise every such request is declined. */
  attended: optional(boolean),
  /**
   * True if the door shows `definitions-new` to a person and confirms it. Otherwise, unless the approval mode is `auto`,
   * the model is given no tool whose definition nobody has seen.
   */
  showsDefinitions: optional(boolean),
  caller: optional(Caller),
});
export type RunOptions = z.infer<typeof RunOptions>;

/** A run that is going on or ended recently. */
export interface RunSummary {
  readonly id: string;
  /** Absent until the run has a session. */
  readonly sessionId?: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly status: "running" | "ended";
}

/**
 * Everything a door needs to show a run, in order; `run-ended` always comes, and comes last. Calls of the engine's own
 * tools (searching tools, reading more of a result) are reported like all others but never recorded.
 */
export type RunEvent =
  | RunMilestone
  | CallEvent
  /**
   * Names of the session's servers that are still connecting: the run continues once each is up, failed or timed out.
   */
  | { readonly type: "waiting-for-servers"; readonly servers: readonly string[] }
  /** Sent once, before the first turn, if not every tool is sent to the model. */
  | { readonly type: "selection-made"; readonly selection: Selection }
  /**
   * What no person has been shown yet, or not as it is now. The run goes on when the door has shown it and called
   * `confirmShown`: only then is it sent to the model.
   */
  | { readonly type: "definitions-new"; readonly definitions: readonly UnseenDefinition[] }
  /** The same, for a door that shows no definitions: the model is given none of these tools. */
  | { readonly type: "definitions-withheld"; readonly definitions: readonly UnseenDefinition[] }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  /** The result of a call. `text` is what the model reads. */
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
  /** The GPT, model or session does not exist; nothing was sent. */
  | { readonly reason: "not-started"; readonly message: string }
  /** The store could not save the messages, for example because the disk is full. */
  | { readonly reason: "session-not-kept"; readonly message: string }
  /** Something threw that should never throw: a bug, or a failing machine. */
  | { readonly reason: "interrupted"; readonly message: string }
  | {
      readonly reason: "model-error";
      readonly code: ModelErrorCode;
      readonly message: string;
      /** How long the vendor asks to wait, if it says so. */
      readonly retryAfterMs?: number;
    };
