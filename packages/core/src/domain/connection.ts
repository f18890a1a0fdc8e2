import type { JsonObject } from "../json/json.ts";
import type { Ending } from "./call.ts";
import type { FailureCode } from "./failure.ts";
import type { TransportInUse } from "./launch.ts";
import type { Era } from "./server.ts";

export type ConnectionStatus = "disconnected" | "connecting" | "connected" | "error";

export interface ConnectionRetry {
  readonly failures: number;
  /** ISO 8601. Absent: only a person, or a changed configuration, tries again. */
  readonly nextAttemptAt?: string;
}

/** What a server reported about itself when the connection opened. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly era: Era;
  readonly transport: TransportInUse;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

/** Whether arguments marked with `x-mcp-header` are repeated in headers (revision 2026-07-28 over HTTP). */
export function mirrorsArguments({ era, transport }: Pick<ServerInfo, "era" | "transport">): boolean {
  return era === "modern" && transport === "streamable-http";
}

/**
 * What can go wrong between us and a server. `unreachable` guarantees that nothing of the request was sent;
 * `interrupted` means that it may have run; `sign-in-needed` that credentials, or others, would help. Messages never
 * contain secrets. Their first line says what happened; further lines, what that means and what to do.
 */
export type ConnectionErrorCode =
  | "unreachable"
  | "sign-in-needed"
  | "interrupted"
  | "cancelled"
  | "protocol-error"
  | "oversize"
  | "misconfigured";

/** The ending, or failure code, that each connection error leads to. */
const ENDINGS_OF = {
  unreachable: "unreachable",
  "sign-in-needed": "sign-in-needed",
  interrupted: "interrupted",
  cancelled: "cancelled",
  "protocol-error": "protocol-error",
  oversize: "oversize",
  misconfigured: "unreachable",
} as const satisfies Record<ConnectionErrorCode, Ending & FailureCode>;

/** The ending of a call, and equally the failure code of any other request, that failed with this error. */
export function endingOf({ code }: ConnectionError): (typeof ENDINGS_OF)[ConnectionErrorCode] {
  return ENDINGS_OF[code];
}

/** Something a server sent that has no place in the protocol. Counted, never fatal. */
export type Oddity = "unreadable" | "oversize" | "unknown-answer" | "late-answer";

/**
 * A server sends more messages that nothing asked for than it may. `paused`: it is read slowly from now on. `ended`: it
 * went on, so its connection was closed.
 */
export interface Flood {
  readonly kind: "paused" | "ended";
  readonly perSecond: number;
}

export interface ConnectionErrorOptions {
  readonly retryable?: boolean;
  readonly cause?: unknown;
  /** How long the server asked to be left alone (Retry-After). */
  readonly retryAfterMs?: number;
  /**
   * What else can be said if the opening failed because time ran out: what the server did until then, what to do.
   * May hold the server's own words, with secrets redacted.
   */
  readonly ifLate?: string;
  /** True if a local resource ran out, such as file handles, which says nothing about the server. */
  readonly isOurs?: boolean;
  /** True if nothing of the request was sent although the code does not say so: it is over a limit. */
  readonly unsent?: boolean;
}

export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly code: ConnectionErrorCode;
  /** False if retrying cannot help: wrong configuration, refused credentials, a 4xx answer. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly ifLate: string | undefined;
  readonly isOurs: boolean;
  readonly unsent: boolean;

  constructor(code: ConnectionErrorCode, message: string, options: ConnectionErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? (code === "unreachable" || code === "interrupted");
    this.retryAfterMs = options.retryAfterMs;
    this.ifLate = options.ifLate;
    this.isOurs = options.isOurs ?? false;
    this.unsent = options.unsent ?? false;
  }
}
