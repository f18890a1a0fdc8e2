import { createRedactor, type ModelDefinition, ModelError, type Redactor, VENDOR_RULES } from "@tacklebox/core";
import type { Endpoint } from "../vendors/vendor.ts";
import { VENDORS } from "../vendors/vendors.ts";
import { boundBody } from "./bounded-body.ts";

/** Replaces `${secret:NAME}` with the secret's value; throws an error with a message for people if it cannot. */
export type ResolveSecret = (text: string) => Promise<string>;

export interface FilledEndpoint {
  readonly endpoint: Endpoint;
  /** Redacts the secrets that were filled in. */
  readonly redact: Redactor;
}

/** Resolves the endpoint's secrets for one request: definitions only ever hold references to them. */
export async function fillEndpoint(
  definition: ModelDefinition,
  resolveSecret: ResolveSecret,
  fetcher: typeof fetch,
): Promise<FilledEndpoint> {
  const { name, vendor, modelId, source } = definition;
  const fill = (text: string) => filled(text, name, resolveSecret);
  const apiKey = definition.apiKey === undefined ? undefined : await fill(definition.apiKey);
  const entries = Object.entries(definition.headers).map(
    async ([header, value]) => [header, await fill(value)] as const,
  );
  const headers = Object.fromEntries(await Promise.all(entries));
  if (VENDOR_RULES[vendor].apiKey.kind === "required" && (apiKey ?? "") === "") {
    throw new ModelError("auth", `Model '${name}' has no key. Set apiKey where it is configured (${source}).`);
  }
  const baseUrl = baseUrlOf(definition);
  // Redirects are refused: a key in a custom header would be sent along to another host.
  const fetchHere: typeof fetch = async (input, init) =>
    boundBody(await fetcher(input, { ...withWholeCharacters(init), redirect: "error" }), name);
  return {
    endpoint: { modelId, baseUrl, apiKey, headers, fetch: fetchHere },
    redact: createRedactor(secretsIn([apiKey ?? "", ...Object.values(headers)], baseUrl)),
  };
}

/**
 * Replaces lone surrogates, which a tool may return and cutting a text may leave behind: vendors refuse a request that
 * has one, and every later request of that conversation. JSON.stringify escapes nothing else as `\ud…`.
 */
function withWholeCharacters(init: RequestInit | undefined): RequestInit | undefined {
  if (typeof init?.body !== "string" || !init.body.includes("\\ud")) return init;
  return { ...init, body: init.body.replace(ESCAPES, (found) => (found === "\\\\" ? found : "\\ufffd")) };
}

/** Matches escaped backslashes too, which are kept, so that what follows one is not taken for an escape. */
const ESCAPES = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

async function filled(text: string, name: string, resolveSecret: ResolveSecret): Promise<string> {
  try {
    return await resolveSecret(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : "its secret cannot be read";
    throw new ModelError("auth", `Model '${name}' cannot be used: ${why}`);
  }
}

/** Shorter values are likely to occur by chance. */
const MIN_SECRET_LENGTH = 6;

function secretsIn(values: readonly string[], baseUrl: string): string[] {
  const { username, password, searchParams } = new URL(baseUrl);
  // In `Bearer x`, x alone is a secret too.
  const bare = values.flatMap((value) => [value, value.replace(/^[A-Za-z][A-Za-z0-9-]* +/, "")]);
  const all = [...bare, username, password, decodeURIComponent(password), ...searchParams.values()];
  return [...new Set(all)].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

/** The URL requests go to. All vendors serve at `/v1`, which people often leave out. */
export function baseUrlOf({ vendor, baseUrl }: ModelDefinition): string {
  const { baseUrl: own = "", urlVersion } = VENDORS[vendor];
  if (baseUrl === undefined) return own;
  const text = baseUrl.trim().replace(/\/+$/, "");
  if (!URL.canParse(text)) return text;
  const { pathname } = new URL(text);
  const lacksVersion = pathname === "/" || (urlVersion === "left-out" && !/\/v\d+$/.test(pathname));
  return lacksVersion ? `${text}/v1` : text;
}
