import { isJsonObject } from "@tacklebox/core";
import { parseJson } from "../protocol/limits/parse-message.ts";
import { type Challenge, parseChallenges } from "./challenge.ts";

/** A reply that is not a success. */
export interface Refusal {
  readonly status: number;
  readonly statusText: string;
  readonly retryAfter: string | null;
  readonly retryAfterMs: number | undefined;
  /** `WWW-Authenticate`. */
  readonly authenticate: string | null;
  readonly location: string | null;
  /** The beginning of the body, if it was read. */
  readonly body?: string | undefined;
  /** The address that was asked. */
  readonly url: string;
}

/** Why a server refused a request, as far as its status and headers tell. */
export type HttpCause =
  | { readonly kind: "sign-in"; readonly challenges: readonly Challenge[] }
  /** Signed in, but with too few rights. */
  | { readonly kind: "missing-scope"; readonly challenge: Challenge }
  | { readonly kind: "forbidden" }
  | { readonly kind: "wrong-path" }
  | { readonly kind: "wrong-method" }
  | { readonly kind: "redirect"; readonly to: string | undefined; readonly isSameOrigin: boolean }
  | { readonly kind: "proxy-sign-in" }
  | { readonly kind: "network-sign-in" }
  | { readonly kind: "busy" }
  | { readonly kind: "gateway" }
  | { readonly kind: "server-failure" }
  /** `said`: the server's own explanation, unredacted. */
  | { readonly kind: "other"; readonly said: string | undefined };

export function causeOf(refusal: Refusal): HttpCause {
  const { status } = refusal;
  if (status === 401) return { kind: "sign-in", challenges: parseChallenges(refusal.authenticate) };
  if (status === 403) return forbidden(refusal);
  if (status === 404 || status === 410) return { kind: "wrong-path" };
  if (status === 405) return { kind: "wrong-method" };
  if (status >= 300 && status < 400) return redirect(refusal);
  if (status === 407) return { kind: "proxy-sign-in" };
  if (status === 511) return { kind: "network-sign-in" };
  if (status === 429 || status === 503) return { kind: "busy" };
  if (status === 502 || status === 504) return { kind: "gateway" };
  return status >= 500 ? { kind: "server-failure" } : { kind: "other", said: saidIn(refusal.body ?? "") };
}

/** The message in an error body: of JSON-RPC, of OAuth, or of many an API. */
function saidIn(body: string): string | undefined {
  const value = parseJson(body);
  if (!isJsonObject(value)) return undefined;
  const { error } = value;
  const said = [isJsonObject(error) ? error.message : undefined, value.error_description, value.message, error];
  return said.find((text) => typeof text === "string");
}

function forbidden({ authenticate }: Refusal): HttpCause {
  const challenge = parseChallenges(authenticate).find(({ error }) => error === "insufficient_scope");
  return challenge === undefined ? { kind: "forbidden" } : { kind: "missing-scope", challenge };
}

function redirect({ location, url }: Refusal): HttpCause {
  if (location === null || !URL.canParse(location, url))
    return { kind: "redirect", to: undefined, isSameOrigin: false };
  const { origin, pathname } = new URL(location, url);
  return { kind: "redirect", to: `${origin}${pathname}`, isSameOrigin: origin === new URL(url).origin };
}
