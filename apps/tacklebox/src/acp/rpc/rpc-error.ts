import type { Failure, FailureCode } from "@tacklebox/core";

/** The error codes of JSON-RPC and ACP. */
const CODES = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  cancelled: -32_800,
  "not-found": -32_002,
} as const;

type Kind = keyof typeof CODES;

/** Maps the engine's failures to RPC errors by who has to act: the client or us. */
const KIND_OF_FAILURE = {
  "not-found": "not-found",
  conflict: "request",
  invalid: "params",
  disabled: "request",
  denied: "request",
  unreachable: "internal",
  "sign-in-needed": "internal",
  "timed-out": "internal",
  interrupted: "internal",
  cancelled: "cancelled",
  "protocol-error": "internal",
  oversize: "internal",
  locked: "internal",
  damaged: "internal",
  unavailable: "internal",
} as const satisfies Record<FailureCode, Kind>;

/** An error sent to the client. The message is for people: no secrets, no stack traces. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly detail: object | undefined;

  constructor(kind: Kind, message: string, detail?: object) {
    super(message);
    this.code = CODES[kind];
    this.detail = detail;
  }
}

/** The error as it is sent. */
export function toErrorObject({ code, message, detail }: RpcError): object {
  return { code, message, ...(detail !== undefined && { data: detail }) };
}

export function toRpcFailure({ code, message }: Failure): RpcError {
  return new RpcError(KIND_OF_FAILURE[code], message);
}

export function sessionNotFound(sessionId: string): RpcError {
  return new RpcError("not-found", `There is no session '${sessionId}'. It may have been closed or removed`, {
    sessionId,
  });
}
