import type { ApprovalAnswer, ApprovalMode, ApprovalRequest } from "./domain/approval.ts";
import type { CallOutcome, CallQuery, CallRecord, CallRequest } from "./domain/call.ts";
import type { Caller } from "./domain/caller.ts";
import type { EngineEvent, Numbered } from "./domain/events.ts";
import type { Answer } from "./domain/failure.ts";
import type { Gpt } from "./domain/gpt.ts";
import type { Grant } from "./domain/grant.ts";
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
 * The one way into Tacklebox. Doors are written against this alone and cannot tell whether they hold it in their own
 * process or across a wire: values are plain JSON, what lasts goes by an id, no value holds a secret.
 *
 * Expected failures are values. A member rejects with EngineError for a mistake of whoever calls it, and with StoreError
 * where what is kept cannot be read or written. Where options take a `signal`, aborting it asks for the same end that
 * `cancel` does; it is the one thing here that is not JSON, and a remote engine sends it as a message of its own.
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
  list(within?: Within): Promise<readonly ServerView[]>;
  /** Adds a server while running, or replaces the one with its scope and key. Does not connect it. */
  add(definition: ServerDefinition): Promise<void>;
  /** False when there was none. Running calls end first. */
  remove(scope: Scope, key: string): Promise<boolean>;
  /** Connects now unless connected. A disabled server is refused (D.26). */
  connect(key: string, options?: AskOptions): Promise<Answer<ServerView>>;
  disconnect(key: string, within?: Within): Promise<boolean>;
  /** What every connected server offers besides tools, or what one does. */
  offers(key?: string, options?: AskOptions): Promise<readonly ServerOffers[]>;
  readResource(key: string, uri: string, options?: AskOptions): Promise<Answer<readonly ResourceContent[]>>;
  getPrompt(
    key: string,
    name: string,
    args: Readonly<Record<string, string>>,
    options?: AskOptions,
  ): Promise<Answer<FilledPrompt>>;
  complete(key: string, request: CompletionRequest, options?: AskOptions): Promise<Answer<Completion>>;
  /** `resource-updated` events follow until the subscription with this id is ended. Survives reconnects. */
  subscribe(key: string, uri: string, within?: Within): Promise<Answer<{ readonly id: string }>>;
  /** False when there is none with this id. */
  unsubscribe(id: string): Promise<boolean>;
}

export interface EngineTools {
  list(within?: Within): Promise<readonly RegisteredTool[]>;
  /**
   * Tools by what somebody wants to get done, best first; 10 unless `limit` says otherwise. Tools that a session's own
   * servers always bring are never searched (S3.11), and what would be denied is never found.
   */
  search(query: string, options?: Within & { readonly limit?: number }): Promise<readonly FoundTool[]>;
  /** Why a tool is or is not callable, one line per step. Empty when no server has such a tool. */
  explain(name: string, server?: string, within?: Within): Promise<readonly ToolExplanation[]>;
  /** Accepts the present definition of a server's changed tools (all, or one). Returns the names it accepted. */
  trust(server: string, tool?: string): Promise<readonly string[]>;
}

export interface EngineCalls {
  /** Rejects with EngineError `conflict` when the request brings an id that a call had before. */
  make(request: CallRequest, options?: CallOptions): Promise<CallOutcome>;
  /** Whoever made it is told at once. False when no such call is going on. */
  cancel(id: string): Promise<boolean>;
  get(id: string): Promise<CallRecord | undefined>;
  /** Newest first. */
  list(query: CallQuery): Promise<Page<CallRecord>>;
}

export interface EngineRuns {
  /**
   * Works one prompt to its end: model, calls, model, and so on. Answers with the run's id at once; what becomes of it,
   * also that it cannot start, is told by its events.
   */
  start(request: RunRequest, options?: RunOptions): Promise<string>;
  /**
   * From the first event on, or from the one after `after`. Ends with the run. Leaving it does not end the run, which
   * keeps pace with whoever reads it. A run that ended a while ago is not known any more: EngineError `not-found`.
   */
  events(id: string, after?: string): AsyncIterable<Numbered<RunEvent>>;
  /** Leaves nothing running: resolves when the run is over. False when no such run is going on. */
  cancel(id: string): Promise<boolean>;
  /** Counts from the next call on. False when no such run is going on. */
  setApprovalMode(id: string, mode: ApprovalMode): Promise<boolean>;
  /** Those that go on, and the last ones that ended. */
  list(): Promise<readonly RunSummary[]>;
}

export interface EngineApprovals {
  /** What waits for an answer now, oldest first. */
  list(): Promise<readonly ApprovalRequest[]>;
  /** The first answer wins, and is in effect when this resolves; false when nothing waits under this id any more. */
  answer(callId: string, answer: ApprovalAnswer): Promise<boolean>;
}

export interface EngineQuestions {
  /** What servers wait to be told now, oldest first. */
  list(): Promise<readonly ServerQuestion[]>;
  /** The first answer wins; false when nothing waits under this id any more. */
  answer(id: string, answer: ElicitationAnswer): Promise<boolean>;
}

export interface EngineGrants {
  list(): Promise<readonly Grant[]>;
  revoke(id: string): Promise<boolean>;
}

export interface EngineSessions {
  /**
   * Begins a session with servers of its own, or goes on with a saved one; one that is open already becomes what this
   * says. Its servers connect behind it: one that fails is told by events and fails nothing else (S3.5, S3.16). A session
   * is kept from its first prompt on.
   */
  open(opening: SessionOpening): Promise<Answer<Session>>;
  /** Cancels what it is doing and ends its servers, within 2 s; what was said stays. False when it was not open. */
  close(id: string): Promise<boolean>;
  /** The one used last comes first. */
  list(query: SessionQuery): Promise<Page<Session>>;
  get(id: string): Promise<Session | undefined>;
  /** Oldest first; none where nothing is kept. */
  messages(id: string, query?: MessageQuery): Promise<Page<SessionMessage>>;
  /** Closes it first. */
  remove(id: string): Promise<boolean>;
  /**
   * Puts a tool into a session or takes it out, from its next prompt on; without a choice it follows its include mode
   * again. The tool goes by its shown name or `server:tool`.
   */
  setTool(sessionId: string, tool: string, choice?: ToolChoice): Promise<Answer<Session>>;
}

export interface EngineGpts {
  /** Those of the config file and those people saved; a saved one cannot replace one of the file. */
  list(): Promise<readonly Gpt[]>;
  save(gpt: Gpt): Promise<Answer<Gpt>>;
  remove(key: string): Promise<Answer<boolean>>;
}

export interface EngineModels {
  list(): Promise<readonly ModelSummary[]>;
}

/** Values go in and never come out: they are filled in where a server or model is reached, and nowhere else. */
export interface EngineSecrets {
  /** By name. Needs no key. */
  list(): Promise<readonly SecretSummary[]>;
  /** A name that exists gets the new value. */
  put(name: string, value: string): Promise<Answer<"stored" | "replaced">>;
  forget(name: string): Promise<Answer<boolean>>;
  /** Whether a stored secret can still be read. */
  check(name: string): Promise<Answer<true>>;
  /** Replaces the vault's key; values stay as they are. Answers how many secrets have a new one. */
  rotate(): Promise<Answer<number>>;
  /** A text without the secrets that are known here, for a door that keeps what people typed. */
  redact(text: string): Promise<string>;
}

export interface EngineEvents {
  /** Everything that happens from now on, or since the event with this id. Never ends by itself. */
  follow(after?: string): AsyncIterable<Numbered<EngineEvent>>;
  /**
   * Where a reader would begin now: for whoever asks for a list first and follows its changes then, or may lose its
   * connection and come back. From then on events are kept for a minute after the last reader left.
   */
  last(): Promise<string>;
}

/** Whose servers are meant: an open session has its own over those of the agent (S3.6). Absent: the agent's alone. */
export interface Within {
  readonly sessionId?: string;
}

export interface AskOptions extends Within {
  readonly signal?: AbortSignal;
}

export interface CallOptions extends AskOptions {
  /** The door's approval mode; `auto` unless the door says otherwise. */
  readonly approvalMode?: ApprovalMode;
  /** Somebody behind this door sees approvals and questions and can answer them. Absent: asking means no (D.9). */
  readonly attended?: boolean;
  readonly caller?: Caller;
}
