import { createRedactor, type ModelDefinition, ModelError, type Redactor } from "@tacklebox/core";
import { dialectOf } from "./dialect.ts";
import type { Endpoint } from "./open-provider.ts";

/** Puts a secret's value where `${secret:NAME}` stands, and throws an error for people when it cannot. */
export type ResolveSecret = (text: string) => Promise<string>;

export interface FilledEndpoint {
  readonly endpoint: Endpoint;
  /** Strikes out what was filled in. */
  readonly redact: Redactor;
}

/** The endpoint with its key, for one request: definitions only ever hold the reference. */
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
  if (vendor !== "openai-compatible" && (apiKey ?? "") === "") {
    throw new ModelError("auth", `Model '${name}' has no key. Set apiKey where it is configured (${source}).`);
  }
  const baseUrl = baseUrlOf(definition);
  // A key in a header of the vendor's own making would follow a redirect to another host.
  const fetchHere: typeof fetch = (input, init) => fetcher(input, { ...withWholeCharacters(init), redirect: "error" });
  return {
    endpoint: { dialect: dialectOf(definition), modelId, baseUrl, apiKey, headers, fetch: fetchHere },
    redact: createRedactor(secretsIn([apiKey ?? "", ...Object.values(headers)], baseUrl)),
  };
}

/**
 * Half of a surrogate pair, which a tool may return and a cut may leave, is no text: vendors refuse the whole request, and
 * every later one of that conversation. As JSON it is the only thing that is escaped this way.
 */
function withWholeCharacters(init: RequestInit | undefined): RequestInit | undefined {
  if (typeof init?.body !== "string" || !init.body.includes("\\ud")) return init;
  return { ...init, body: init.body.replace(ESCAPES, (found) => (found === "\\\\" ? found : "\\ufffd")) };
}

/** An escaped backslash is matched too, and kept: what follows it is no escape. */
const ESCAPES = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

async function filled(text: string, name: string, resolveSecret: ResolveSecret): Promise<string> {
  try {
    return await resolveSecret(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : "its secret cannot be read";
    throw new ModelError("auth", `Model '${name}' cannot be used: ${why}`);
  }
}

/** Shorter values occur by chance. */
const SHORTEST_SECRET = 6;

function secretsIn(values: readonly string[], baseUrl: string): string[] {
  const { username, password, searchParams } = new URL(baseUrl);
  // In `Bearer x` it is x that matters, wherever it turns up again.
  const bare = values.flatMap((value) => [value, value.replace(/^[A-Za-z][A-Za-z0-9-]* +/, "")]);
  const all = [...bare, username, password, decodeURIComponent(password), ...searchParams.values()];
  return [...new Set(all)].filter((secret) => secret.length >= SHORTEST_SECRET);
}

const OWN_URLS = { openai: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com/v1" } as const;

/** Where requests go. Everybody serves at `/v1`, and most people leave it out of an address that is a host alone. */
export function baseUrlOf({ vendor, baseUrl }: ModelDefinition): string {
  if (baseUrl === undefined) return vendor === "openai-compatible" ? "" : OWN_URLS[vendor];
  const text = baseUrl.trim().replace(/\/+$/, "");
  if (!URL.canParse(text)) return text;
  const { pathname } = new URL(text);
  if (pathname === "/") return `${text}/v1`;
  // What others call Anthropic's base URL is without the version.
  return vendor === "anthropic" && !/\/v\d+$/.test(pathname) ? `${text}/v1` : text;
}
