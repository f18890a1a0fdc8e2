import { ConnectionError, type ConnectionErrorOptions } from "@tacklebox/core";

export interface Refusal {
  readonly status: number;
  readonly statusText: string;
  readonly retryAfter: string | null;
  readonly retryAfterMs: number | undefined;
}

/** The part of an HTTP reply that is needed here. */
interface RefusingReply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
}

/** Reads a non-2xx reply; `now` is in milliseconds since the epoch. */
export function refusalOf({ status, statusText, headers }: RefusingReply, now: number): Refusal {
  const retryAfter = headers.get("retry-after");
  return { status, statusText, retryAfter, retryAfterMs: parseRetryAfter(retryAfter, now) };
}

/** The error for a call that got a non-2xx reply. */
export function toCallRefusal(refusal: Refusal): ConnectionError {
  const text = refusalText(refusal);
  const { status } = refusal;
  if (status === 401 || status === 403) return new ConnectionError("sign-in-needed", text);
  // The server says that it did not accept the request.
  if (status === 429 || status === 503) return new ConnectionError("unreachable", text, askedWait(refusal));
  // A gateway lost the server, which may already have started on the call.
  if (status === 502 || status === 504) return new ConnectionError("interrupted", text);
  return new ConnectionError("protocol-error", text);
}

/** The error for an opening that got a non-2xx reply. No call is at stake, so 5xx can be retried. */
export function toOpenRefusal(refusal: Refusal, prefix = ""): ConnectionError {
  const text = prefix + refusalText(refusal);
  const { status } = refusal;
  if (status === 401 || status === 403) return new ConnectionError("sign-in-needed", text);
  if (status === 429 || status >= 500) return new ConnectionError("unreachable", text, askedWait(refusal));
  return new ConnectionError("protocol-error", text);
}

/** Honours `Retry-After` only for statuses that mean "not now", not for those that reject the request itself. */
function askedWait({ status, retryAfterMs }: Refusal): ConnectionErrorOptions {
  return retryAfterMs === undefined || (status !== 429 && status !== 503) ? {} : { retryAfterMs };
}

export function refusalText({ status, statusText, retryAfter }: Refusal): string {
  const text = statusText === "" ? `HTTP ${status}` : `HTTP ${status}: ${statusText}`;
  return retryAfter === null ? text : `${text} (Retry-After: ${retryAfter.slice(0, 64)})`;
}

/** Caps the wait a server may ask for. Opening a server by hand is never delayed. */
const MAX_MS = 60 * 60 * 1000;

const IMF_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850_DATE = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * How many milliseconds a `Retry-After` header asks to wait from `now` (milliseconds since the epoch). The header holds
 * seconds or one of HTTP's three date forms. Undefined if it is absent, malformed or in the past; at most an hour.
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_MS);
  const waitMs = parseHttpDate(text) - now;
  // Also false for NaN, which is what an invalid date parses to.
  return waitMs >= 0 ? Math.min(waitMs, MAX_MS) : undefined;
}

/** Checks the form first: `Date.parse` alone would find a year in almost anything. */
function parseHttpDate(text: string): number {
  if (IMF_DATE.test(text) || RFC_850_DATE.test(text)) return Date.parse(text);
  return ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
