import type { StopSignal } from "../async/stop.ts";
import type { Progress, ToolResult } from "../domain/call.ts";
import type { Oddity, ServerInfo } from "../domain/connection.ts";
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
import type { Era, ServerDefinition, Transport } from "../domain/server.ts";
import type { JsonObject, JsonSchema } from "../json/json.ts";

/** Opens connections of some transports. Registered in a composition root, one line each. */
export interface Connector {
  readonly transports: readonly Transport[];
  /**
   * Opens a connection that is ready for calls: negotiated, signed in, nothing listed yet.
   * Rejects with ConnectionError, leaving nothing running. `signal` bounds the whole of it.
   */
  open(definition: ServerDefinition, options: OpenOptions, signal: AbortSignal): Promise<Connection>;
}

export interface OpenOptions {
  /** What this server spoke last time; spares the question. A wrong hint must not make opening fail. */
  readonly knownEra?: Era;
  /** The server says that its tools changed. May come in bursts. */
  readonly onToolsChanged: () => void;
  /** Said once, when the connection is gone for whatever reason other than our own close(). */
  readonly onClosed: (cause: string) => void;
  /** The server says that its resources or prompts changed. */
  readonly onOffersChanged?: (what: "resources" | "prompts") => void;
  /** A resource we subscribed to changed. */
  readonly onResourceUpdated?: (uri: string) => void;
  /** Answers a server's question to the person. The capability is declared only when this is given (T1.13). */
  readonly elicit?: (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationAnswer>;
  /** Answers `roots/list`. The capability is declared only when this is given. */
  readonly roots?: () => Promise<readonly Root[]>;
  /** A line the server wrote for people (stderr, log messages). Untrusted text. */
  readonly onServerLog?: (line: string) => void;
  /** The server sent something that has no place in the protocol. May come in bursts. */
  readonly onOddity?: (oddity: Oddity) => void;
  /** A process is started; more than once for one opening where the first could not stand being asked its revision. */
  readonly onStart?: () => void;
}

export interface Connection {
  readonly info: ServerInfo;
  /** Every entry of every page as sent; parsing is the catalog's. Rejects with ConnectionError. */
  listTools(signal: AbortSignal): Promise<RawToolList>;
  /** Sends one call, exactly once. */
  callTool(call: OutgoingCall): CallInFlight;
  /** Resources, templates and prompts: empty when the server did not declare them, without asking it (T1.4). */
  listResources(signal: AbortSignal): Promise<readonly Resource[]>;
  listResourceTemplates(signal: AbortSignal): Promise<readonly ResourceTemplate[]>;
  listPrompts(signal: AbortSignal): Promise<readonly Prompt[]>;
  /** These reject with code `protocol-error` when the server did not declare what they need. */
  readResource(uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<FilledPrompt>;
  complete(request: CompletionRequest, signal: AbortSignal): Promise<Completion>;
  subscribeResource(uri: string, signal: AbortSignal): Promise<void>;
  unsubscribeResource(uri: string, signal: AbortSignal): Promise<void>;
  /** Ends the connection and everything it started. Never rejects; a second call waits for the first. */
  close(): Promise<void>;
}

export interface RawToolList {
  readonly entries: readonly unknown[];
  /** Set when the list was cut at a cap; says which. */
  readonly truncated?: string;
}

export interface OutgoingCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** Some protocol revisions mirror marked arguments into headers, for which the schema is needed. */
  readonly inputSchema: JsonSchema;
  /** Aborting tells the server to cancel and rejects `answer` at once with code `cancelled`. */
  readonly signal: StopSignal;
  /** Absent: progress is not asked for. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface CallInFlight {
  /** Rejects with ConnectionError only, at once or late: to be waited for. In-band errors are results with `isError`. */
  readonly answer: Promise<ToolResult>;
  /**
   * Settles when the server can no longer be working on this call as far as the connection can tell:
   * its reply, even a late one after a cancel, or the end of the connection. Never rejects.
   */
  readonly finished: Promise<CallFinish>;
}

/** `answered`: with a result, if only after nobody waited for it. `unknown`: nobody can tell how far the call came. */
export type CallFinish = "answered" | "unknown";
