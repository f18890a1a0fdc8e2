import type { ApprovalAnswer, ApprovalMode, ApprovalRequest } from "./approval.ts";
import type { CallFailure, CallOutcome, CallQuery, CallRecord, CallRequest, Progress } from "./call.ts";
import type { ConnectionRetry, ConnectionStatus, Oddity, ServerInfo } from "./connection.ts";
import type { EventListener } from "./events.ts";
import type { Gpt } from "./gpt.ts";
import type { Grant } from "./grant.ts";
import type { CallLogSettings } from "./limits.ts";
import type { ModelDefinition, ModelSummary } from "./model.ts";
import type { Completion, CompletionRequest, FilledPrompt, Prompt } from "./prompt.ts";
import type { Resource, ResourceContent, ResourceTemplate } from "./resource.ts";
import type { RunEvent, RunOptions, RunRequest } from "./run.ts";
import type { FoundTool } from "./selection.ts";
import type { Scope, ServerDefinition } from "./server.ts";
import type { Conversation, Session, SessionOpening, SessionQuery, ToolChoice } from "./session.ts";
import type { QuarantinedTool, RegisteredTool, ToolboxSettings } from "./tool.ts";

/** What a config file, or a page, asks an engine to be. */
export interface EngineConfig {
  readonly toolbox: ToolboxSettings;
  readonly servers: readonly ServerDefinition[];
  /** Models of the config file; those of the environment are not here. */
  readonly models?: readonly ModelDefinition[];
  /** Assistants of the config file. */
  readonly gpts?: readonly Gpt[];
  /** Absent: the engine removes no calls by itself. Durability is the store's to keep; the engine does not read it. */
  readonly calls?: CallLogSettings;
}

/** The one way into Tacklebox. Doors are written against this alone and cannot tell which implementation they hold. */
export interface Engine {
  /** Connects every enabled server in parallel and registers tools in configuration order. Problems are values. */
  start(signal?: AbortSignal): Promise<StartReport>;
  /** Refuses new calls, lets running ones end within `drainMs`, then closes everything. A second stop waits for the first. */
  stop(drainMs?: number): Promise<void>;
  listServers(within?: Within): Promise<readonly ServerView[]>;
  listTools(within?: Within): Promise<readonly RegisteredTool[]>;
  /**
   * Tools by what somebody wants to get done, best first; 10 unless `limit` says otherwise. Tools that a session's own
   * servers always bring are never searched (S3.11), and what would be denied is never found.
   */
  searchTools(query: string, options?: Within & { readonly limit?: number }): Promise<readonly FoundTool[]>;
  /** Why a tool is or is not callable, one line per step. Empty when no server has such a tool. */
  explainTool(name: string, server?: string, within?: Within): Promise<readonly ToolExplanation[]>;
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
  connectServer(key: string, options?: AskOptions): Promise<Answer<ServerView>>;
  disconnectServer(key: string, within?: Within): Promise<boolean>;
  /** What every connected server offers besides tools, or what one does. */
  listOffers(server?: string, options?: AskOptions): Promise<readonly ServerOffers[]>;
  readResource(server: string, uri: string, options?: AskOptions): Promise<Answer<readonly ResourceContent[]>>;
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    options?: AskOptions,
  ): Promise<Answer<FilledPrompt>>;
  complete(server: string, request: CompletionRequest, options?: AskOptions): Promise<Answer<Completion>>;
  /** `resource-updated` events follow until the returned function is called. Survives reconnects. */
  subscribeResource(server: string, uri: string, within?: Within): Promise<Answer<() => Promise<void>>>;
  callTool(request: CallRequest, options?: CallOptions): Promise<CallOutcome>;
  listCalls(query: CallQuery): Promise<readonly CallRecord[]>;
  /**
   * Works one prompt to its end: model, calls, model, and so on. Never throws; ending the iteration early cancels the run
   * and leaves nothing running.
   */
  run(request: RunRequest, options?: RunOptions): AsyncIterable<RunEvent>;
  listModels(): Promise<readonly ModelSummary[]>;
  /** What waits for an answer now, oldest first. */
  listApprovals(): Promise<readonly ApprovalRequest[]>;
  /** The first answer wins; false when nothing waits under this id any more. */
  answerApproval(callId: string, answer: ApprovalAnswer): Promise<boolean>;
  listGrants(): Promise<readonly Grant[]>;
  revokeGrant(id: string): Promise<boolean>;
  /**
   * Begins a session with servers of its own, or goes on with a saved one; one that is open already becomes what this
   * says. Its servers connect behind it: one that fails is told by events and fails nothing else (S3.5, S3.16). A session
   * is kept from its first prompt on.
   */
  openSession(opening: SessionOpening): Promise<Answer<Session>>;
  /** Cancels what it is doing and ends its servers, within 2 s; what was said stays. False when it was not open. */
  closeSession(id: string): Promise<boolean>;
  listSessions(query: SessionQuery): Promise<readonly Session[]>;
  loadSession(id: string): Promise<Conversation | undefined>;
  /** Closes it first. */
  removeSession(id: string): Promise<boolean>;
  /**
   * Puts a tool into a session or takes it out, from its next prompt on; without a choice it follows its include mode
   * again. The tool goes by its shown name or `server:tool`.
   */
  setSessionTool(sessionId: string, tool: string, choice?: ToolChoice): Promise<Answer<Session>>;
  /** Those of the config file and those people saved; a saved one cannot replace one of the file. */
  listGpts(): Promise<readonly Gpt[]>;
  saveGpt(gpt: Gpt): Promise<Answer<Gpt>>;
  removeGpt(key: string): Promise<Answer<boolean>>;
  /** Returns the function that ends the subscription. */
  subscribe(listener: EventListener): () => void;
}

/** Whose servers are meant: an open session has its own over those of the agent (S3.6). Absent: the agent's alone. */
export interface Within {
  readonly sessionId?: string;
}

export interface AskOptions extends Within {
  readonly signal?: AbortSignal;
}

export interface CallOptions extends AskOptions {
  readonly onProgress?: (progress: Progress) => void;
  /** The door's approval mode; `auto` unless the door says otherwise. */
  readonly approvalMode?: ApprovalMode;
  /** Somebody behind this door sees approvals and can answer them. Absent: asking means no (D.9). */
  readonly attended?: boolean;
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
  /** Set while it is down and will be tried again: how often it failed in a row, and when it is tried next. */
  readonly retry?: ConnectionRetry;
  /** How often the server sent something that has no place in the protocol; what never happened is absent. */
  readonly oddities: Readonly<Partial<Record<Oddity, number>>>;
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
