import type { Ending } from "./call.ts";
import type { JsonObject } from "./json.ts";
import type { Era } from "./server.ts";

export type ConnectionStatus = "disconnected" | "connecting" | "connected" | "error";

/** What a server said about itself when the connection opened. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly era: Era;
  readonly transport: "stdio" | "streamable-http" | "sse" | "local";
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

/**
 * What can go wrong between us and a server. `unreachable` promises that no byte of the request left;
 * `interrupted` means it may have run. Message texts never carry secrets.
 */
export type ConnectionErrorCode =
  | "unreachable"
  | "sign-in-needed"
  | "interrupted"
  | "cancelled"
  | "protocol-error"
  | "oversize"
  | "misconfigured";

const ENDINGS_OF = {
  unreachable: "unreachable",
  "sign-in-needed": "sign-in-needed",
  interrupted: "interrupted",
  cancelled: "cancelled",
  "protocol-error": "protocol-error",
  oversize: "oversize",
  misconfigured: "unreachable",
} as const satisfies Record<ConnectionErrorCode, Ending>;

/** How something ends that failed between us and a server. */
export function endingOf({ code }: ConnectionError): Ending {
  return ENDINGS_OF[code];
}

export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly code: ConnectionErrorCode;
  /** False when trying again cannot help: wrong configuration, refused credentials, a 4xx answer (D.7). */
  readonly retryable: boolean;

  constructor(code: ConnectionErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? (code === "unreachable" || code === "interrupted");
  }
}
