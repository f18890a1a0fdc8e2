import type { Progress, ToolResult } from "../domain/call.ts";
import type { ServerInfo } from "../domain/connection.ts";
import type { JsonObject, JsonSchema } from "../domain/json.ts";
import type { Era, ServerDefinition, Transport } from "../domain/server.ts";

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
  /** A line the server wrote for people (stderr, log messages). Untrusted text. */
  readonly onServerLog?: (line: string) => void;
}

export interface Connection {
  readonly info: ServerInfo;
  /** Every entry of every page as sent; parsing is the catalog's. Rejects with ConnectionError. */
  listTools(signal: AbortSignal): Promise<RawToolList>;
  /** Sends one call, exactly once. */
  callTool(call: OutgoingCall): CallInFlight;
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
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface CallInFlight {
  /** Rejects with ConnectionError only. In-band errors are results with `isError`. */
  readonly answer: Promise<ToolResult>;
  /**
   * Settles when the server can no longer be working on this call as far as the connection can tell:
   * its reply, even a late one after a cancel, or the end of the connection. Never rejects.
   */
  readonly finished: Promise<void>;
}
