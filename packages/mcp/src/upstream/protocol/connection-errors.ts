import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { ConnectionError, type ProtocolChoice } from "@tacklebox/core";
import type { Refusal } from "../causes/http-cause.ts";
import type { Site } from "../causes/site.ts";
import type { RedactServerText } from "./redact-server-text.ts";
import { toOpenRefusal } from "./refusal.ts";

/** What a connector knows about an opening besides the SDK's error. */
export interface OpeningFacts {
  readonly protocol?: ProtocolChoice;
  readonly redact: RedactServerText;
  /** For servers that are reached over HTTP. `refusal` is the last one seen: the SDK's errors carry no headers. */
  readonly http?: { readonly site: Site; readonly refusal: Refusal | undefined };
}

/** Converts what the SDK threw while opening. */
export function toOpenError(error: unknown, { protocol, redact, http }: OpeningFacts): ConnectionError {
  const ours = findConnectionError(error);
  if (ours !== undefined) return ours.code === "interrupted" ? toBroken(ours, http?.site) : ours;
  const refused = http === undefined ? undefined : refusalIn(error, http);
  if (http !== undefined && refused !== undefined) return toOpenRefusal(refused, http.site);
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
    const text =
      protocol === "modern"
        ? 'The server does not speak the modern protocol; set its protocol to "auto" or "legacy".'
        : "The server answered, but not as an MCP server does; check its address or command.";
    return new ConnectionError("protocol-error", text, { cause: error });
  }
  const detail = error instanceof Error ? redact(error.message) : "unknown reason";
  return new ConnectionError("protocol-error", `The server could not be understood: ${detail}`, { cause: error });
}

/** The refusal behind an error of the SDK, which turns some into errors of its own, without a status. */
function refusalIn(error: unknown, { site, refusal }: NonNullable<OpeningFacts["http"]>): Refusal | undefined {
  if (!(error instanceof SdkHttpError)) return refusal?.status === 401 || refusal?.status === 403 ? refusal : undefined;
  const { status, statusText = "" } = error;
  const body = typeof error.data.text === "string" ? error.data.text : undefined;
  if (refusal?.status === status) return { ...refusal, body };
  const headers = { retryAfter: null, retryAfterMs: undefined, authenticate: null, location: null };
  return { status, statusText, ...headers, body, url: site.address };
}

/** The connection broke before the server was ready, so whatever was sent does not matter. */
function toBroken(error: ConnectionError, site: Site | undefined): ConnectionError {
  const broken = withCode(error, "unreachable");
  if (site?.address.startsWith("http:") !== true) return broken;
  return new ConnectionError(
    "unreachable",
    `${broken.message}\nCheck that the server is running, and whether its address should start with https:.`,
    { cause: error },
  );
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
