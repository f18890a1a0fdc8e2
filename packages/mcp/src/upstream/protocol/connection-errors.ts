import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { ConnectionError } from "@tacklebox/core";
import type { RedactServerText } from "./redact-server-text.ts";
import { type Refusal, toOpenRefusal } from "./refusal.ts";

/**
 * Converts what the SDK threw while opening. `refusal` is the last one seen, since the SDK's errors carry no headers.
 */
export function toOpenError(error: unknown, redact: RedactServerText, refusal?: Refusal): ConnectionError {
  const ours = findConnectionError(error);
  if (ours !== undefined) return ours.code === "interrupted" ? withCode(ours, "unreachable") : ours;
  if (error instanceof SdkHttpError) {
    const { status, statusText } = error;
    if (refusal?.status === status) return toOpenRefusal(refusal);
    return toOpenRefusal({ status, statusText: statusText ?? "", retryAfter: null, retryAfterMs: undefined });
  }
  if (error instanceof UnauthorizedError) return new ConnectionError("sign-in-needed", "The server asks to sign in.");
  if (error instanceof ProtocolError) {
    return new ConnectionError("protocol-error", `MCP Error ${error.code}: ${redact(error.message)}`);
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
  const detail = error instanceof Error ? redact(error.message) : "unknown reason";
  return new ConnectionError("protocol-error", `The server could not be understood: ${detail}`, { cause: error });
}

/** The same failure under another code, for a caller to whom it means something else. */
export function withCode(error: ConnectionError, code: ConnectionError["code"], prefix = ""): ConnectionError {
  const { retryAfterMs } = error;
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const retryable = code === error.code ? { retryable: error.retryable } : {};
  return new ConnectionError(code, prefix + error.message, { ...retryable, ...wait, cause: error });
}

/** The error for an opening that its signal aborted, because of a timeout or a cancellation. */
export function toStopError(signal: AbortSignal): ConnectionError {
  const reason: unknown = signal.reason;
  if (reason instanceof ConnectionError) return reason;
  if (reason instanceof Error && reason.name === "TimeoutError") {
    return new ConnectionError("unreachable", "The server did not answer in time.");
  }
  return new ConnectionError("cancelled", "Connecting was cancelled.");
}

/** Finds our own error in the chain of causes: the SDK wraps what a transport threw, sometimes more than once. */
function findConnectionError(error: unknown): ConnectionError | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (current instanceof ConnectionError) return current;
    current = current.cause;
  }
  return undefined;
}
