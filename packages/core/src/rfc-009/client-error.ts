import type { CallFailure, Ending } from "../domain/call.ts";
import type { Failure, FailureCode } from "../domain/failure.ts";

export type MCPClientErrorCode =
  | "server-not-found"
  | "server-disabled"
  | "invalid-server"
  | "not-connected"
  | Ending
  | FailureCode;

/** The error that the RFC-009 service throws. Decide by `code`; `message` is for people and contains no secret. */
export class MCPClientError extends Error {
  override readonly name = "MCPClientError";
  readonly code: MCPClientErrorCode;
  /** Everything known about a call or request that failed. */
  readonly failure?: CallFailure | Failure;

  constructor(code: MCPClientErrorCode, message: string, failure?: CallFailure | Failure) {
    super(message);
    this.code = code;
    if (failure !== undefined) this.failure = failure;
  }
}

export function failedWith(failure: CallFailure | Failure): MCPClientError {
  const code = "ending" in failure ? failure.ending : failure.code;
  return new MCPClientError(code, errorText(code, failure.message), failure);
}

/** RFC-009 fixes the text of a timeout (S1.28); every other failure keeps the engine's text. */
export function errorText(ending: Ending | FailureCode | undefined, text: string): string {
  return ending === "timed-out" ? "Request timeout" : text;
}
