import type { ApprovalMode } from "./approval.ts";
import type { CallFailure, CallOutcome, CallQuery, CallRecord, CallRequest, Progress } from "./call.ts";
import type { ConnectionStatus, ServerInfo } from "./connection.ts";
import type { EventListener } from "./events.ts";
import type { Completion, CompletionRequest, FilledPrompt, Prompt } from "./prompt.ts";
import type { Resource, ResourceContent, ResourceTemplate } from "./resource.ts";
import type { Scope, ServerDefinition } from "./server.ts";
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
  /**
   * Becomes what `config` says: only servers whose connection settings changed are reconnected, running calls end on
   * the connection they began on. Problems are values; the rest of the change still counts.
   */
  reload(config: EngineConfig): Promise<ReloadReport>;
  /** Adds a server while running, or replaces the one with its scope and key. Does not connect it. */
  addServer(definition: ServerDefinition): Promise<void>;
  /** False when there was none. Running calls end first. */
  removeServer(scope: Scope, key: string): Promise<boolean>;
  /** Connects now unless connected. A disabled server is refused (D.26). */
  connectServer(key: string, signal?: AbortSignal): Promise<Answer<ServerView>>;
  disconnectServer(key: string): Promise<boolean>;
  /** What every connected server offers besides tools, or what one does. */
  listOffers(server?: string, signal?: AbortSignal): Promise<readonly ServerOffers[]>;
  readResource(server: string, uri: string, signal?: AbortSignal): Promise<Answer<readonly ResourceContent[]>>;
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Answer<FilledPrompt>>;
  complete(server: string, request: CompletionRequest, signal?: AbortSignal): Promise<Answer<Completion>>;
  /** `resource-updated` events follow until the returned function is called. Survives reconnects. */
  subscribeResource(server: string, uri: string): Promise<Answer<() => Promise<void>>>;
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

/** An expected failure is a value; `failure` has the endings of a call. */
export type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "failed"; readonly failure: CallFailure };

export interface ReloadReport {
  /** One line for people per thing that changed; empty when nothing did. */
  readonly changes: readonly string[];
  readonly problems: readonly StartProblem[];
}

export interface ServerOffers {
  readonly server: string;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  /** Set when the server could not be asked. */
  readonly failure?: CallFailure;
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
