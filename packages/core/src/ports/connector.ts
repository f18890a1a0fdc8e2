import type { StopSignal } from "../async/stop.ts";
import type { Progress, ToolResult } from "../domain/call.ts";
import type { Flood, Oddity, ServerInfo } from "../domain/connection.ts";
import type { Transport } from "../domain/launch.ts";
import type {
  Completion,
  CompletionRequest,
  FilledPrompt,
  Prompt,
  Resource,
  ResourceContent,
  ResourceTemplate,
} from "../domain/offer.ts";
import type { ElicitationAnswer, ElicitationRequest, Root } from "../domain/question.ts";
import type { Era, ServerDefinition } from "../domain/server.ts";
import type { JsonObject, JsonSchema } from "../json/json.ts";

/** Opens connections over some transports. Programs pass the connectors they support to the engine. */
export interface Connector {
  readonly transports: readonly Transport[];
  /**
   * Opens a connection that is ready for calls: negotiated and signed in, with nothing listed yet.
   * Rejects with ConnectionError and then leaves nothing running. Aborting `signal` ends the whole attempt.
   */
  open(definition: ServerDefinition, options: OpenOptions, signal: AbortSignal): Promise<Connection>;
}

export interface OpenOptions {
  /** The era this server spoke last time, which saves a probe. A wrong hint must not make opening fail. */
  readonly knownEra?: Era;
  /** Called when the server reports that its tools changed. May come in bursts. */
  readonly onToolsChanged: () => void;
  /** Called once, when the connection is lost for any reason other than our own close(). */
  readonly onClosed: (cause: string) => void;
  /** Called when the server reports that its resources or prompts changed. */
  readonly onOffersChanged?: (what: "resources" | "prompts") => void;
  /** Called when a resource we subscribed to changed. */
  readonly onResourceUpdated?: (uri: string) => void;
  /** Answers a server's question to a person. The capability is declared only if this is given. */
  readonly elicit?: (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationAnswer>;
  /** Answers `roots/list`. The capability is declared only if this is given. */
  readonly roots?: () => Promise<readonly Root[]>;
  /** Receives each line the server writes for people (stderr, log messages). Untrusted text. */
  readonly onServerLog?: (line: string) => void;
  /** Called when the server sent something that has no place in the protocol. May come in bursts. */
  readonly onOddity?: (oddity: Oddity) => void;
  /** Called when the server is paused because it sends too much, and when it is given up for it. */
  readonly onFlood?: (flood: Flood) => void;
  /**
   * Called when a process is started: twice for one opening if the first exited when asked for its protocol revision.
   */
  readonly onStart?: () => void;
  /** Asked before another process is started for the same opening; if false, the opening fails as it stands. */
  readonly mayStartAnother?: () => boolean;
}

export interface Connection {
  readonly info: ServerInfo;
  /** Every entry of every page as sent; the catalog parses them. Rejects with ConnectionError. */
  listTools(signal: AbortSignal): Promise<RawToolList>;
  /** Sends one call, exactly once. */
  callTool(call: OutgoingCall): CallInFlight;
  /** The three lists below are empty, without asking the server, if it did not declare the capability. */
  listResources(signal: AbortSignal): Promise<readonly Resource[]>;
  listResourceTemplates(signal: AbortSignal): Promise<readonly ResourceTemplate[]>;
  listPrompts(signal: AbortSignal): Promise<readonly Prompt[]>;
  /** These reject with code `protocol-error` if the server did not declare the capability they need. */
  readResource(uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<FilledPrompt>;
  complete(request: CompletionRequest, signal: AbortSignal): Promise<Completion>;
  subscribeResource(uri: string, signal: AbortSignal): Promise<void>;
  unsubscribeResource(uri: string, signal: AbortSignal): Promise<void>;
  /** Closes the connection and ends everything it started. Never rejects; a second call waits for the first. */
  close(): Promise<void>;
}

export interface RawToolList {
  readonly entries: readonly unknown[];
  /** Set if the list was cut at a limit; says which one. */
  readonly truncated?: string;
}

export interface OutgoingCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** Some protocol revisions mirror marked arguments into headers, for which the schema is needed. */
  readonly inputSchema: JsonSchema;
  /** Aborting tells the server to cancel and rejects `answer` at once with code `cancelled`. */
  readonly signal: StopSignal;
  /** If absent, no progress is requested. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Called with the answer if that is so large that others may wait for the room it takes up: `leave` must be called
   * when the answer is no longer needed. If absent, the room is given back at once.
   */
  readonly onRoom?: ((leave: () => void) => void) | undefined;
}

export interface CallInFlight {
  /** Rejects with ConnectionError only, so it must always be handled. In-band errors are results with `isError`. */
  readonly answer: Promise<ToolResult>;
  /**
   * Settles when, as far as the connection can tell, the server is no longer working on this call: on its reply (even
   * a late one after a cancel) or when the connection ends. Never rejects.
   */
  readonly finished: Promise<CallFinish>;
}

/** `answered`: the server sent a result, possibly too late. `unknown`: there is no telling how far the call got. */
export type CallFinish = "answered" | "unknown";
