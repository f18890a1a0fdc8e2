import type { Json, JsonObject } from "../json/json.ts";
import type { Decision } from "./approval.ts";
import type { Caller } from "./caller.ts";
import type { ServerDefinition } from "./server.ts";
import type { RegisteredTool, ToolRef } from "./tool.ts";

/** Every way a call can end other than well. Closed: doors map each one. */
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
export type Ending = (typeof ENDINGS)[number];

export interface CallRequest {
  /** What the call is to go by, for a door that must know it beforehand; must be new. The engine finds one when absent. */
  readonly id?: string;
  /** The shown name, or the raw name together with `server`. */
  readonly tool: string;
  readonly server?: string;
  readonly arguments: JsonObject;
  /** Set when the arguments could not be read at all: the call ends as invalid-arguments with this reason. */
  readonly unreadable?: string;
}

/** What a server answered to `tools/call`, kept whole (D.25). */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Json;
  readonly isError: boolean;
  readonly meta?: JsonObject;
}

/** One block as the server sent it; kinds we do not know are kept, never dropped. */
export interface ContentBlock extends JsonObject {
  readonly type: string;
}

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
  readonly unreadable?: string;
  readonly requestedAt: string;
  /** The session it is made in, if any: servers of two sessions may have one name. */
  readonly sessionId?: string;
}

declare const checked: unique symbol;
/** Made only by check-arguments: the arguments passed the tool's schema. */
export type CheckedCall = ResolvedCall & { readonly [checked]: true };

declare const approved: unique symbol;
/** Made only by request-approval: policy or a person said yes to exactly these arguments. */
export type ApprovedCall = CheckedCall & { readonly decision: Decision; readonly [approved]: true };

/** Why a call did not succeed. `message` is safe to show: no secret, what happened and what to do next. */
export interface CallFailure {
  readonly ending: Ending;
  readonly message: string;
  /** Where arguments were wrong, as JSON pointers. */
  readonly problems?: readonly ArgumentProblem[];
  /** What the server sent when the ending is `tool-error`. */
  readonly result?: ToolResult;
  /** Of a cancelled call: whether it was handed to the server, which may have run it. Other endings say so themselves. */
  readonly sent?: boolean;
}

export interface ArgumentProblem {
  readonly path: string;
  readonly message: string;
}

interface OutcomeBase {
  readonly callId: string;
  readonly shownName: string;
  /** Absent when no such tool exists. */
  readonly ref?: ToolRef;
  readonly durationMs: number;
}

export type CallOutcome =
  | (OutcomeBase & { readonly status: "success"; readonly result: ToolResult })
  | (OutcomeBase & { readonly status: "error"; readonly failure: CallFailure });

export type CallStatus = "pending" | "running" | "success" | "error";

/** Where the time of a call went, in milliseconds. */
export interface CallTimes {
  /** Waiting for a person: to allow it, or to answer what its server asked. */
  readonly personMs: number;
  /** Waiting for a free slot. */
  readonly slotMs: number;
  /** At its server, while nobody was asked anything. */
  readonly runMs: number;
}

/** What is kept of a call (S1.12). Arguments, results and errors have known secrets struck out. */
export interface CallRecord {
  readonly id: string;
  readonly scope: string;
  readonly server: string;
  readonly toolName: string;
  readonly shownName: string;
  readonly arguments: JsonObject;
  readonly status: CallStatus;
  readonly ending?: Ending;
  readonly error?: string;
  readonly result?: ToolResult;
  readonly decision?: string;
  readonly startedAt: string;
  readonly completedAt?: string;
  /** When the server answered after all, although the caller had given up: the call did run. */
  readonly lateAnswerAt?: string;
  /** Who asked for it; absent in records from before this was kept, and so are its times. */
  readonly caller?: Caller;
  /** Set when it has ended. */
  readonly times?: CallTimes;
  /** Of a call that failed: whether it was handed to the server, which may have run it. */
  readonly sent?: boolean;
  /** The process that is responsible for ending this row; recovery leaves rows of the living alone. */
  readonly owner: string;
}

export interface CallQuery {
  readonly server?: string;
  readonly toolName?: string;
  readonly status?: CallStatus;
  readonly limit: number;
  /** The `next` of another page: what is older than that. */
  readonly after?: string;
}
