import * as z from "zod/mini";
import { boolean, Json, JsonObject, list, number, object, optional, type Schema, string } from "../json/schema.ts";
import type { Decision } from "./approval.ts";
import { Caller } from "./caller.ts";
import type { ServerDefinition } from "./server.ts";
import type { RegisteredTool, ToolRef } from "./tool.ts";

/** Every way a call can fail. The list is closed: doors map each one. */
export const ENDINGS = [
  "unknown-tool",
  "invalid-arguments",
  "denied",
  "approval-expired",
  "limit",
  "log-unavailable",
  "unreachable",
  "sign-in-needed",
  "timed-out",
  "interrupted",
  "cancelled",
  "protocol-error",
  "oversize",
  "tool-error",
] as const;
export const Ending = z.enum(ENDINGS);
export type Ending = z.infer<typeof Ending>;

export const CallRequest = object({
  /** The call's id, for a door that must know it beforehand; must be unused. The engine generates one if absent. */
  id: optional(string),
  /** The shown name, or the raw name together with `server`. */
  tool: string,
  server: optional(string),
  arguments: JsonObject,
  /** Set if the arguments could not be parsed: the call ends as invalid-arguments with this reason. */
  unreadable: optional(string),
});
export type CallRequest = z.infer<typeof CallRequest>;

/** One block as the server sent it; blocks of unknown types are kept, never dropped. */
export interface ContentBlock extends JsonObject {
  readonly type: string;
}
export const ContentBlock: Schema<ContentBlock> = z.catchall(z.object({ type: string }), Json);

/** A server's complete answer to `tools/call`. */
export const ToolResult = object({
  content: list(ContentBlock),
  structuredContent: optional(Json),
  isError: boolean,
  meta: optional(JsonObject),
});
export type ToolResult = z.infer<typeof ToolResult>;

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface ResolvedCall {
  readonly id: string;
  readonly registered: RegisteredTool;
  readonly definition: ServerDefinition;
  readonly arguments: JsonObject;
  /** JSON pointers to arguments that were null and were left out, as their parameters may be absent but not null. */
  readonly leftOut?: readonly string[];
  readonly unreadable?: string;
  readonly requestedAt: string;
  /** The session the call is made in, if any: two sessions may have servers of the same name. */
  readonly sessionId?: string;
}

declare const checked: unique symbol;
/** Created only by check-arguments: the arguments match the tool's schema. */
export type CheckedCall = ResolvedCall & { readonly [checked]: true };

declare const approved: unique symbol;
/** Created only by request-approval: the policy or a person allowed exactly these arguments. */
export type ApprovedCall = CheckedCall & { readonly decision: Decision; readonly [approved]: true };

/**
 * Why a call did not succeed. `message` is safe to show: it holds no secret and says what happened and what to do next.
 */
export interface CallFailure {
  readonly ending: Ending;
  readonly message: string;
  /** What was wrong with the arguments, located by JSON pointers. */
  readonly problems?: readonly ArgumentProblem[];
  /** What the server sent, if the ending is `tool-error`. */
  readonly result?: ToolResult;
  /** For a cancelled call: whether it was sent to the server, which may have run it. Other endings imply the answer. */
  readonly sent?: boolean;
  /** What a model, or a client of another program, is told instead: it must not learn of what is hidden from it. */
  readonly veil?: Pick<CallFailure, "ending" | "message">;
}

export interface ArgumentProblem {
  readonly path: string;
  /** A sentence without its subject, which is the path. */
  readonly message: string;
  /** The same said of a tool's arguments, where that is shorter: `missing argument "path"`. */
  readonly ofArguments?: string;
}

interface OutcomeBase {
  readonly callId: string;
  readonly shownName: string;
  /** Absent if no such tool exists. */
  readonly ref?: ToolRef;
  readonly durationMs: number;
}

export type CallOutcome =
  | (OutcomeBase & { readonly status: "success"; readonly result: ToolResult })
  | (OutcomeBase & { readonly status: "error"; readonly failure: CallFailure });

export const CallStatus = z.enum(["pending", "running", "success", "error"]);
export type CallStatus = z.infer<typeof CallStatus>;

/** Where the time of a call went, in milliseconds. */
export const CallTimes = object({
  /** Waiting for a person to approve the call or to answer its server's questions. */
  personMs: number,
  /** Waiting for a free slot. */
  slotMs: number,
  /** Running at its server, without the time its questions were open. */
  runMs: number,
});
export type CallTimes = z.infer<typeof CallTimes>;

/** A call as the log keeps it. Known secrets are redacted in arguments, results and errors. */
export const CallRecord = object({
  id: string,
  scope: string,
  server: string,
  toolName: string,
  shownName: string,
  arguments: JsonObject,
  status: CallStatus,
  ending: optional(Ending),
  error: optional(string),
  result: optional(ToolResult),
  decision: optional(string),
  startedAt: string,
  completedAt: optional(string),
  /** When the server answered although the caller had given up, which shows that the call did run. */
  lateAnswerAt: optional(string),
  /** Who made the call. Like `times`, absent in older records. */
  caller: optional(Caller),
  /** Set once the call has ended. */
  times: optional(CallTimes),
  /** For a failed call: whether it was sent to the server, which may have run it. */
  sent: optional(boolean),
  /** The process responsible for ending this row; recovery leaves rows of live processes alone. */
  owner: string,
});
export type CallRecord = z.infer<typeof CallRecord>;

export const CallQuery = object({
  server: optional(string),
  toolName: optional(string),
  status: optional(CallStatus),
  /** Only calls whose id begins with this, such as the one a person typed the beginning of. */
  idPrefix: optional(string),
  limit: number,
  /** The `next` of another page: only calls older than that. */
  after: optional(string),
});
export type CallQuery = z.infer<typeof CallQuery>;
