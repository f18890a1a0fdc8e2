import { ConnectionError, type ConnectionErrorOptions } from "@tacklebox/core";
import { explainHttp } from "../causes/explain-http.ts";
import { causeOf, type HttpCause, type Refusal } from "../causes/http-cause.ts";
import type { Site } from "../causes/site.ts";

/** The part of an HTTP reply that is needed here. */
interface RefusingReply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
}

/** Reads a non-2xx reply to a request to `url`; `now` is in milliseconds since the epoch. */
export function refusalOf({ status, statusText, headers }: RefusingReply, url: string, now: number): Refusal {
  const retryAfter = headers.get("retry-after");
  return {
    status,
    statusText,
    retryAfter,
    retryAfterMs: parseRetryAfter(retryAfter, now),
    authenticate: headers.get("www-authenticate"),
    location: headers.get("location"),
    url,
  };
}

/** The error for a call that got a non-2xx reply. */
export function toCallRefusal(refusal: Refusal, site: Site): ConnectionError {
  const cause = causeOf(refusal);
  const text = refusalText(refusal);
  if (needsSignIn(cause)) return new ConnectionError("sign-in-needed", explained(text, cause, site));
  const { status } = refusal;
  // The server says that it did not accept the request.
  if (status === 429 || status === 503) return new ConnectionError("unreachable", text, askedWait(refusal));
  // A gateway lost the server, which may already have started on the call.
  if (status === 502 || status === 504) return new ConnectionError("interrupted", text);
  return new ConnectionError("protocol-error", text);
}

/**
 * The error for an opening that got a non-2xx reply. No call is at stake, so 5xx can be retried. Its first line is the
 * status (S1.29), the next says what that means and what to do.
 */
export function toOpenRefusal(refusal: Refusal, site: Site, prefix = ""): ConnectionError {
  const cause = causeOf(refusal);
  const text = explained(prefix + refusalText(refusal), cause, site);
  const { status } = refusal;
  if (needsSignIn(cause)) return new ConnectionError("sign-in-needed", text);
  if (cause.kind === "network-sign-in" || cause.kind === "proxy-sign-in")
    return new ConnectionError("unreachable", text);
  if (status === 429 || status >= 500) return new ConnectionError("unreachable", text, askedWait(refusal));
  return new ConnectionError("protocol-error", text);
}

/** Whether credentials, or credentials with more rights, would help. */
export function needsSignIn({ kind }: HttpCause): boolean {
  return kind === "sign-in" || kind === "missing-scope";
}

function explained(text: string, cause: HttpCause, site: Site): string {
  const explanation = explainHttp(cause, site);
  return explanation === undefined ? text : `${text}\n${explanation}`;
}

/** Honours `Retry-After` only for statuses that mean "not now", not for those that reject the request itself. */
function askedWait({ status, retryAfterMs }: Refusal): ConnectionErrorOptions {
  return retryAfterMs === undefined || (status !== 429 && status !== 503) ? {} : { retryAfterMs };
}

export function refusalText({
  status,
  statusText,
  retryAfter,
}: Pick<Refusal, "status" | "statusText" | "retryAfter">): string {
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
