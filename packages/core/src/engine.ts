import type { ApprovalAnswer, ApprovalMode, ApprovalRequest } from "./domain/approval.ts";
import type { CallOutcome, CallQuery, CallRecord, CallRequest } from "./domain/call.ts";
import type { Caller } from "./domain/caller.ts";
import type { EngineEvent, Numbered } from "./domain/events.ts";
import type { Answer } from "./domain/failure.ts";
import type { Gpt } from "./domain/gpt.ts";
import type { Grant } from "./domain/grant.ts";
import type { ChangedTool } from "./domain/inventory.ts";
import type { ModelSummary } from "./domain/model.ts";
import type { Completion, CompletionRequest, FilledPrompt, ResourceContent } from "./domain/offer.ts";
import type { Page } from "./domain/page.ts";
import type { ElicitationAnswer, ServerQuestion } from "./domain/question.ts";
import type { RunEvent, RunOptions, RunRequest, RunSummary } from "./domain/run.ts";
import type { SecretSummary } from "./domain/secret.ts";
import type { FoundTool } from "./domain/selection.ts";
import type { Scope, ServerDefinition } from "./domain/server.ts";
import type { ServerOffers, ServerView, ToolExplanation } from "./domain/server-view.ts";
import type {
  MessageQuery,
  Session,
  SessionMessage,
  SessionOpening,
  SessionQuery,
  ToolChoice,
} from "./domain/session.ts";
import type { RegisteredTool } from "./domain/tool.ts";

/**
 * The one way into Tacklebox. Doors are written against this interface alone and cannot tell whether the engine runs in
 * their own process or across a wire: values are plain JSON, lasting things are referred to by id, and no value
 * contains a secret.
 *
 * Expected failures are values. A method rejects with EngineError for a mistake of its caller, and with StoreError if
 * the store cannot be read or written. Where options take a `signal`, aborting it has the same effect as `cancel`; it
 * is the only value here that is not JSON, and a remote engine sends it as a separate message.
 */
export interface Engine {
  readonly servers: EngineServers;
  readonly tools: EngineTools;
  readonly calls: EngineCalls;
  readonly runs: EngineRuns;
  readonly approvals: EngineApprovals;
  readonly questions: EngineQuestions;
  readonly grants: EngineGrants;
  readonly sessions: EngineSessions;
  readonly gpts: EngineGpts;
  readonly models: EngineModels;
  readonly secrets: EngineSecrets;
  readonly events: EngineEvents;
}

export interface EngineServers {
  list(within?: InSession): Promise<readonly ServerView[]>;
  /** Adds a server while running, or replaces the one with its scope and key. Does not connect it. */
  add(definition: ServerDefinition): Promise<void>;
  /** Resolves to false if there was no such server. Running calls end first. */
  remove(scope: Scope, key: string): Promise<boolean>;
  /** Connects the server now unless it is connected. A disabled server is refused. */
  connect(key: string, options?: AskOptions): Promise<Answer<ServerView>>;
  disconnect(key: string, within?: InSession): Promise<boolean>;
  /** What all connected servers, or the one with this key, offer besides tools. */
  offers(key?: string, options?: AskOptions): Promise<readonly ServerOffers[]>;
  readResource(key: string, uri: string, options?: AskOptions): Promise<Answer<readonly ResourceContent[]>>;
  getPrompt(
    key: string,
    name: string,
    args: Readonly<Record<string, string>>,
    options?: AskOptions,
  ): Promise<Answer<FilledPrompt>>;
  complete(key: string, request: CompletionRequest, options?: AskOptions): Promise<Answer<Completion>>;
  /** `resource-updated` events follow until `unsubscribe` is called with the returned id. Survives reconnects. */
  subscribe(key: string, uri: string, within?: InSession): Promise<Answer<{ readonly id: string }>>;
  /** Resolves to false if there is no subscription with this id. */
  unsubscribe(id: string): Promise<boolean>;
}

export interface EngineTools {
  list(within?: InSession): Promise<readonly RegisteredTool[]>;
  /**
   * Finds tools by a description of the task, best first; at most 10 unless `limit` says otherwise. `always` tools of a
   * session's own servers are never searched, and tools whose calls would be denied are never found.
   */
  search(query: string, options?: InSession & { readonly limit?: number }): Promise<readonly FoundTool[]>;
  /**
   * Finds the tool that a person names: by its shown name, as `server:tool`, or by the name its server gives it if only
   * one server has a tool of that name. With `server`, among that server's tools alone. Waits for servers that connect
   * for the first time and may have it.
   */
  find(name: string, options?: FindOptions): Promise<RegisteredTool | undefined>;
  /**
   * Explains why a tool is or is not callable, step by step: for a run if one is described, otherwise for a program that
   * nobody watches. Empty if no server has such a tool.
   */
  explain(
    name: string,
    server?: string,
    within?: InSession & { readonly run?: RunApproval },
  ): Promise<readonly ToolExplanation[]>;
  /** The tools of a server (all, or one) whose definition is no longer the accepted one, each with both definitions. */
  changed(server: string, tool?: string): Promise<readonly ChangedTool[]>;
  /**
   * Accepts the definitions that `changed` returned. Resolves to the names of the tools that still have them: nobody
   * accepts what they were not shown.
   */
  trust(server: string, seen: readonly Pick<ChangedTool, "tool" | "fingerprint">[]): Promise<readonly string[]>;
}

export interface EngineCalls {
  /** Rejects with EngineError `conflict` if the request brings an id that another call already has. */
  make(request: CallRequest, options?: CallOptions): Promise<CallOutcome>;
  /** The caller gets its outcome at once. Resolves to false if no such call is running. */
  cancel(id: string): Promise<boolean>;
  get(id: string): Promise<CallRecord | undefined>;
  /** Newest first. */
  list(query: CallQuery): Promise<Page<CallRecord>>;
}

export interface EngineRuns {
  /**
   * Works one prompt to its end: model, calls, model, and so on. Resolves to the run's id at once; everything else,
   * including that the run cannot start, is reported by its events.
   */
  start(request: RunRequest, options?: RunOptions): Promise<string>;
  /**
   * The run's events from the first one, or from the one after `after`. Ends with the run. The run waits for slow
   * readers, but goes on when a reader leaves. Rejects with EngineError `not-found` for a run that ended a while ago.
   */
  events(id: string, after?: string): AsyncIterable<Numbered<RunEvent>>;
  /** Resolves when the run is over and nothing of it is running; to false if no such run is going on. */
  cancel(id: string): Promise<boolean>;
  /** Says that a person was shown what `definitions-new` reported. Resolves to false if no such run is going on. */
  confirmShown(id: string): Promise<boolean>;
  /** Takes effect with the next call. Resolves to false if no such run is going on. */
  setApprovalMode(id: string, mode: ApprovalMode): Promise<boolean>;
  /** The runs that are going on, and those that ended last. */
  list(): Promise<readonly RunSummary[]>;
}

export interface EngineApprovals {
  /** The approvals that wait for an answer now, oldest first. */
  list(): Promise<readonly ApprovalRequest[]>;
  /**
   * The first answer wins and is in effect when this resolves. Resolves to false if no approval waits for this call.
   */
  answer(callId: string, answer: ApprovalAnswer): Promise<boolean>;
}

export interface EngineQuestions {
  /** The questions of servers that wait for an answer now, oldest first. */
  list(): Promise<readonly ServerQuestion[]>;
  /** The first answer wins. Resolves to false if no question waits under this id. */
  answer(id: string, answer: ElicitationAnswer): Promise<boolean>;
}

export interface EngineGrants {
  list(): Promise<readonly Grant[]>;
  revoke(id: string): Promise<boolean>;
}

export interface EngineSessions {
  /**
   * Begins a session with servers of its own, or continues a saved one; a session that is open already is changed to
   * match. Its servers connect in the background: a failure is reported by an event and affects nothing else. A session
   * is saved with its first prompt.
   */
  open(opening: SessionOpening): Promise<Answer<Session>>;
  /**
   * Cancels its calls and runs and ends its servers, within 2 s; its messages stay. Resolves to false if it was not
   * open.
   */
  close(id: string): Promise<boolean>;
  /** The most recently used session first. */
  list(query: SessionQuery): Promise<Page<Session>>;
  get(id: string): Promise<Session | undefined>;
  /** Oldest first; empty if nothing is stored. */
  messages(id: string, query?: MessageQuery): Promise<Page<SessionMessage>>;
  /** Closes the session first. */
  remove(id: string): Promise<boolean>;
  /**
   * Adds a tool to a session or removes it, from the next prompt on; without a choice the tool follows its include mode
   * again. `tool` is its shown name or `server:tool`.
   */
  setTool(sessionId: string, tool: string, choice?: ToolChoice): Promise<Answer<Session>>;
}

export interface EngineGpts {
  /** The GPTs of the config file and those people saved; a saved one cannot replace one from the file. */
  list(): Promise<readonly Gpt[]>;
  save(gpt: Gpt): Promise<Answer<Gpt>>;
  remove(key: string): Promise<Answer<boolean>>;
}

export interface EngineModels {
  list(): Promise<readonly ModelSummary[]>;
}

/** Secrets go in and never come out: their values are used only to connect to servers and models. */
export interface EngineSecrets {
  /** Sorted by name. Works without the vault's key. */
  list(): Promise<readonly SecretSummary[]>;
  /** Replaces the value if the name exists. */
  put(name: string, value: string): Promise<Answer<"stored" | "replaced">>;
  forget(name: string): Promise<Answer<boolean>>;
  /** Whether a stored secret can still be read. */
  check(name: string): Promise<Answer<true>>;
  /**
   * Replaces the vault's key; the values stay the same. Resolves to the number of secrets encrypted with the new key.
   */
  rotate(): Promise<Answer<number>>;
  /** Redacts all known secrets in a text, for doors that store what people typed. */
  redact(text: string): Promise<string>;
}

export interface EngineEvents {
  /** All events from now on, or since the event with this id. Never ends by itself. */
  follow(after?: string): AsyncIterable<Numbered<EngineEvent>>;
  /**
   * The id of the last event, for a reader that loads a list first and then follows its changes, or that may lose its
   * connection and come back. From then on, events are kept for a minute after the last reader has left.
   */
  last(): Promise<string>;
}

/** Selects whose servers to use: those of an open session over the agent's; without an id, the agent's alone. */
export interface InSession {
  readonly sessionId?: string;
}

/** How a run would be started, as far as approvals depend on it. */
export type RunApproval = Pick<RunRequest, "gpt" | "approvalMode">;

export interface AskOptions extends InSession {
  readonly signal?: AbortSignal;
}

export interface FindOptions extends AskOptions {
  readonly server?: string | undefined;
}

export interface CallOptions extends AskOptions {
  /** The door's approval mode; defaults to `auto`. */
  readonly approvalMode?: ApprovalMode;
  /** Whether a person at this door sees approvals and questions and can answer them. If absent, they are denied. */
  readonly attended?: boolean;
  readonly caller?: Caller;
  /**
   * Called before the call resolves if its outcome is so large that results of other calls may have to wait for the
   * room it takes up: they wait until the promise settles. Only in the engine's own process.
   */
  readonly onLargeOutcome?: OnLargeOutcome;
}

export type OnLargeOutcome = (outcome: CallOutcome) => Promise<void>;
