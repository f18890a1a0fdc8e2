import type { CallFailure, Ending } from "../domain/call.ts";

export type MCPClientErrorCode = "server-not-found" | "server-disabled" | "invalid-server" | "not-connected" | Ending;

/** What the RFC's service throws (D.8). Decide by `code`; `message` is for people and carries no secret. */
export class MCPClientError extends Error {
  override readonly name = "MCPClientError";
  readonly code: MCPClientErrorCode;
  /** Everything known about a call or request that failed. */
  readonly failure?: CallFailure;

  constructor(code: MCPClientErrorCode, message: string, failure?: CallFailure) {
    super(message);
    this.code = code;
    if (failure !== undefined) this.failure = failure;
  }
}

export function failedWith(failure: CallFailure): MCPClientError {
  return new MCPClientError(failure.ending, errorText(failure.ending, failure.message), failure);
}

/** S1.28 gives the text of a timeout; every other ending keeps the engine's. */
export function errorText(ending: Ending | undefined, text: string): string {
  return ending === "timed-out" ? "Request timeout" : text;
}
