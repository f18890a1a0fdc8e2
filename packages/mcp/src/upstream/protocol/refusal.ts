import { ConnectionError, type ConnectionErrorOptions } from "@tacklebox/core";
import type { HttpReply } from "../http/http-exchange.ts";
import { parseRetryAfter } from "./retry-after.ts";

export interface Refusal {
  readonly status: number;
  readonly statusText: string;
  readonly retryAfter: string | null;
  readonly retryAfterMs: number | undefined;
}

/** What a reply with a status other than 2xx says; `now` in milliseconds since the epoch. */
export function refusalOf({ status, statusText, headers }: HttpReply, now: number): Refusal {
  const retryAfter = headers.get("retry-after");
  return { status, statusText, retryAfter, retryAfterMs: parseRetryAfter(retryAfter, now) };
}

/** A call that was answered with a status other than 2xx (S1.29). */
export function toCallRefusal(refusal: Refusal): ConnectionError {
  const text = refusalText(refusal);
  const { status } = refusal;
  if (status === 401 || status === 403) return new ConnectionError("sign-in-needed", text);
  // The server says that it did not take the request.
  if (status === 429 || status === 503) return new ConnectionError("unreachable", text, askedWait(refusal));
  // A gateway lost the server, which may have been at work already.
  if (status === 502 || status === 504) return new ConnectionError("interrupted", text);
  return new ConnectionError("protocol-error", text);
}

/** Opening that was answered with a status other than 2xx: no call is at stake, so 5xx is worth another try (D.7). */
export function toOpenRefusal(refusal: Refusal, prefix = ""): ConnectionError {
  const text = prefix + refusalText(refusal);
  const { status } = refusal;
  if (status === 401 || status === 403) return new ConnectionError("sign-in-needed", text);
  if (status === 429 || status >= 500) return new ConnectionError("unreachable", text, askedWait(refusal));
  return new ConnectionError("protocol-error", text);
}

/** Only refusals that speak of a moment, not of the request, say when to come back. */
function askedWait({ status, retryAfterMs }: Refusal): ConnectionErrorOptions {
  return retryAfterMs === undefined || (status !== 429 && status !== 503) ? {} : { retryAfterMs };
}

export function refusalText({ status, statusText, retryAfter }: Refusal): string {
  const text = statusText === "" ? `HTTP ${status}` : `HTTP ${status}: ${statusText}`;
  return retryAfter === null ? text : `${text} (Retry-After: ${retryAfter.slice(0, 64)})`;
}
