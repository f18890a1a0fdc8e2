import type { ApprovalMode } from "./approval.ts";
import type { CallOutcome, CallQuery, CallRecord, CallRequest, Progress } from "./call.ts";
import type { ConnectionStatus, ServerInfo } from "./connection.ts";
import type { EventListener } from "./events.ts";
import type { ServerDefinition } from "./server.ts";
import type { QuarantinedTool, RegisteredTool, ToolboxSettings } from "./tool.ts";

/** What a config file, or a page, asks an engine to be. */
export interface EngineConfig {
  readonly toolbox: ToolboxSettings;
  readonly servers: readonly ServerDefinition[];
}

/** The one way into Tacklebox. Doors are written against this alone and cannot tell which implementation they hold. */
export interface Engine {
  /** Connects every enabled server in parallel and registers tools in configuration order. Problems are values. */
  start(signal?: AbortSignal): Promise<StartReport>;
  /** Refuses new calls, lets running ones end within `drainMs`, then closes everything. A second stop waits for the first. */
  stop(drainMs?: number): Promise<void>;
  listServers(): Promise<readonly ServerView[]>;
  listTools(): Promise<readonly RegisteredTool[]>;
  /** Why a tool is or is not callable, one line per step. Undefined when no server has such a tool. */
  explainTool(name: string, server?: string): Promise<readonly ToolExplanation[]>;
  /** Accepts the present definition of a server's changed tools (all, or one). Returns the names it accepted. */
  trustTools(server: string, tool?: string): Promise<readonly string[]>;
  callTool(request: CallRequest, options?: CallOptions): Promise<CallOutcome>;
  listCalls(query: CallQuery): Promise<readonly CallRecord[]>;
  /** Returns the function that ends the subscription. */
  subscribe(listener: EventListener): () => void;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** The door's approval mode; `auto` unless the door says otherwise. */
  readonly approvalMode?: ApprovalMode;
}

/** A problem that keeps an operator's toolbox from starting. `text` is shown raw. */
export interface StartProblem {
  readonly kind: "unreachable" | "strict-violation" | "local-unconfigured" | "misconfigured";
  readonly server?: string;
  readonly tool?: string;
  readonly text: string;
}

export interface StartReport {
  readonly problems: readonly StartProblem[];
}

export interface ServerView {
  readonly definition: ServerDefinition;
  readonly status: ConnectionStatus | "disabled";
  /** Why it is not connected, for people. */
  readonly cause?: string;
  readonly info?: ServerInfo;
  readonly toolCount: number;
  readonly quarantined: readonly QuarantinedTool[];
}

export interface ToolExplanation {
  readonly server: string;
  readonly tool: string;
  readonly shownName?: string;
  readonly callable: boolean;
  readonly steps: readonly ExplanationStep[];
}

export interface ExplanationStep {
  readonly step: "declared" | "mode" | "allow/deny" | "collision" | "pin" | "limits" | "approval" | "result";
  readonly verdict: "ok" | "warn" | "stop";
  readonly text: string;
}
