import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { ConnectionError } from "@tacklebox/core";
import type { StrikeOut } from "./strike-out.ts";

export interface Refusal {
  readonly status: number;
  readonly statusText: string;
  readonly retryAfter: string | null;
}

/** A call that was answered with a status other than 2xx (S1.29). */
export function toCallRefusal(refusal: Refusal): ConnectionError {
  const text = refusalText(refusal);
  const { status } = refusal;
  if (status === 401 || status === 403) return new ConnectionError("sign-in-needed", text);
  // The server says that it did not take the request.
  if (status === 429 || status === 503) return new ConnectionError("unreachable", text);
  // A gateway lost the server, which may have been at work already.
  if (status === 502 || status === 504) return new ConnectionError("interrupted", text);
  return new ConnectionError("protocol-error", text);
}

/** Opening that was answered with a status other than 2xx: no call is at stake, so 5xx is worth another try (D.7). */
export function toOpenRefusal(refusal: Refusal, prefix = ""): ConnectionError {
  const text = prefix + refusalText(refusal);
  const { status } = refusal;
  if (status === 401 || status === 403) return new ConnectionError("sign-in-needed", text);
  if (status === 429 || status >= 500) return new ConnectionError("unreachable", text);
  return new ConnectionError("protocol-error", text);
}

/** Whatever the SDK threw while opening, in our terms. */
export function toOpenError(error: unknown, strikeOut: StrikeOut): ConnectionError {
  const ours = findConnectionError(error);
  if (ours !== undefined) {
    return ours.code === "interrupted" ? new ConnectionError("unreachable", ours.message, { cause: ours }) : ours;
  }
  if (error instanceof SdkHttpError) {
    const { status, statusText } = error;
    return toOpenRefusal({ status, statusText: statusText ?? "", retryAfter: null });
  }
  if (error instanceof UnauthorizedError) return new ConnectionError("sign-in-needed", "The server asks to sign in.");
  if (error instanceof ProtocolError) {
    return new ConnectionError("protocol-error", `MCP Error ${error.code}: ${strikeOut(error.message)}`);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new ConnectionError("unreachable", "The server did not answer in time.");
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return new ConnectionError("unreachable", "The server closed the connection before it was ready.");
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed) {
    const text = 'The server does not speak the modern protocol; set its protocol to "auto" or "legacy".';
    return new ConnectionError("protocol-error", text, { cause: error });
  }
  const detail = error instanceof Error ? strikeOut(error.message) : "unknown reason";
  return new ConnectionError("protocol-error", `The server could not be understood: ${detail}`, { cause: error });
}

/** Opening that was stopped by its signal: by the clock or by a person. */
export function toStopped(signal: AbortSignal): ConnectionError {
  const reason: unknown = signal.reason;
  if (reason instanceof ConnectionError) return reason;
  if (reason instanceof Error && reason.name === "TimeoutError") {
    return new ConnectionError("unreachable", "The server did not answer in time.");
  }
  return new ConnectionError("cancelled", "Connecting was cancelled.");
}

function refusalText({ status, statusText, retryAfter }: Refusal): string {
  const text = statusText === "" ? `HTTP ${status}` : `HTTP ${status}: ${statusText}`;
  return retryAfter === null ? text : `${text} (Retry-After: ${retryAfter.slice(0, 64)})`;
}

/** The SDK wraps what a transport threw, sometimes more than once. */
function findConnectionError(error: unknown): ConnectionError | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (current instanceof ConnectionError) return current;
    current = current.cause;
  }
  return undefined;
}
