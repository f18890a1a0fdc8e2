import type { ModelDefinition } from "../domain/model.ts";
import type { HttpTarget, Launch, ServerDefinition } from "../domain/server.ts";
import { isJsonObject, type Json } from "../json/json.ts";
import { nestsDeeper } from "../json/nesting.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { holdsReference } from "./secret-reference.ts";

/** Shorter values occur by chance, and striking them out would make messages unreadable. */
export const SHORTEST_SECRET = 6;
const SECRET_NAME =
  /token|key|secret|pass|pwd|(^|_)pat($|_)|auth|credential|cookie|session|dsn|connection_?string|signature|(^|_)sig($|_)/i;
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-type",
  "host",
  "mcp-protocol-version",
  "origin",
  "referer",
  "user-agent",
]);

/** Every value of a server's definition that must not appear in a log, a record, an event or an error. */
export function secretsOf(definition: ServerDefinition): string[] {
  const { launch } = definition;
  return usable([...fromEnvironment(launch), ...targetsOf(launch).flatMap(fromTarget)]);
}

/** As secretsOf, for everything a configuration names. */
export function secretsOfConfig(config: {
  readonly servers: readonly ServerDefinition[];
  readonly models?: readonly ModelDefinition[];
}): string[] {
  return [...config.servers.flatMap(secretsOf), ...(config.models ?? []).flatMap(secretsOfModel)];
}

/** As secretsOf, for a model. */
export function secretsOfModel({ apiKey, baseUrl, headers }: ModelDefinition): string[] {
  const ofUrl = baseUrl === undefined ? [] : fromUrl(baseUrl);
  return usable([...(apiKey === undefined ? [] : [apiKey]), ...fromHeaders({ headers }), ...ofUrl]);
}

/** A reference is not a secret: people need to read which one is used. */
function usable(found: readonly string[]): string[] {
  return [...new Set(found.filter((secret) => secret.length >= SHORTEST_SECRET && !holdsReference(secret)))];
}

/** Whether these requests carry something that a listener on the way could use (D.15). */
export function carriesCredentials({ url, headers, authentication }: HttpTarget): boolean {
  if (authentication.type !== "none") return true;
  if (Object.keys(headers).some((name) => !isHarmlessHeader(name))) return true;
  return secretQueryValues(url).length > 0;
}

/** Strikes out each secret as it is, URL-encoded, JSON-escaped and in base64. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = new Set(secrets.filter((secret) => secret !== "").flatMap(formsOf));
  if (forms.size === 0) return keepText;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const shortest = longestFirst.at(-1)?.length ?? 0;
  const pattern = longestFirst.map(escapePattern).join("|");
  const first = new RegExp(pattern);
  const every = new RegExp(pattern, "g");
  // Every key and text of every call comes by here, and nearly none holds a secret: looked for first, replaced then.
  const redact = (text: string) =>
    text.length < shortest || !first.test(text) ? text : text.replace(every, "[redacted]");
  const beginnings = groupByBeginning(longestFirst);
  return Object.assign(redact, { cutAt: (text: string) => cutBeforeOpenEnd(text, beginnings, every) });
}

/** By first character, so that most places in a text need no look at what might begin there. */
interface Beginnings {
  readonly longest: number;
  readonly forms: ReadonlyMap<string, readonly string[]>;
}

function groupByBeginning(longestFirst: readonly string[]): Beginnings {
  const forms = new Map<string, string[]>();
  for (const form of longestFirst) {
    const first = form.charAt(0);
    forms.set(first, [...(forms.get(first) ?? []), form]);
  }
  return { longest: longestFirst[0]?.length ?? 0, forms };
}

/** Before the longest end of the text that a secret begins with; never inside of a secret that is whole. */
function cutBeforeOpenEnd(text: string, beginnings: Beginnings, every: RegExp): number {
  let cut = openEnd(text, beginnings, 0);
  if (cut === text.length) return cut;
  for (const { index, 0: secret } of text.matchAll(every)) {
    const end = index + secret.length;
    if (index < cut && end > cut) cut = openEnd(text, beginnings, end);
  }
  return cut;
}

function openEnd(text: string, { longest, forms }: Beginnings, from: number): number {
  for (let at = Math.max(from, text.length - longest + 1); at < text.length; at += 1) {
    const begun = forms.get(text.charAt(at));
    if (begun?.some((form) => form.length > text.length - at && form.startsWith(text.slice(at)))) return at;
  }
  return text.length;
}

/**
 * Redacts every string of a JSON value, keys too. The value itself is not changed; what comes back has its shape, and is
 * the value itself where there was nothing to strike out, which is nearly always.
 */
export function redactJson<T>(redact: Redactor, value: T): T {
  if (redact.idle ? !nestsDeeper(value, DEEPEST_VALUE) : !holdsSecret(redact, value, 0)) return value;
  return redactValue(redact, value as Json, 0) as T;
}

function holdsSecret(redact: Redactor, value: unknown, depth: number): boolean {
  if (typeof value === "string") return redact(value) !== value;
  if (typeof value !== "object" || value === null) return false;
  if (depth >= DEEPEST_VALUE) return true;
  if (Array.isArray(value)) return value.some((item) => holdsSecret(redact, item, depth + 1));
  // Without a list of keys: every argument and result of every call comes by here.
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (redact(key) !== key || holdsSecret(redact, Reflect.get(value, key), depth + 1)) return true;
  }
  return false;
}

/** Deeper values cannot be walked safely, and what was not walked may hold a secret. */
const DEEPEST_VALUE = 500;

function redactValue(redact: Redactor, value: Json, depth: number): Json {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST_VALUE) return "[redacted: nested too deeply]";
  if (!isJsonObject(value)) return value.map((item) => redactValue(redact, item, depth + 1));
  const members = new Map<string, Json>();
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members.set(freeKey(redact(key), members), redactValue(redact, member, depth + 1));
  }
  return Object.fromEntries(members);
}

// Two keys that were both secrets must not become one member.
function freeKey(key: string, members: ReadonlyMap<string, Json>): string {
  let free = key;
  for (let count = 2; members.has(free); count += 1) free = `${key} (${count})`;
  return free;
}

const keepText: Redactor = Object.assign((text: string) => text, { idle: true });

function fromEnvironment(launch: Launch): string[] {
  if (launch.transport !== "stdio") return [];
  const values = Object.entries(launch.env).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
  return [...values, ...Object.values(launch.env).flatMap(fromUrl), ...secretArguments(launch.args)];
}

/** `--token=x` and `--token x`; and what programs are given for others: variables, headers and addresses. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const isFlag = argument.startsWith("-");
    const [name = "", ...rest] = argument.split("=");
    const value = isFlag ? rest.join("=") : argument;
    const flag = isFlag ? name : args[index - 1];
    return [
      ...fromFlag(argument, args[index + 1]),
      ...fromVariable(flag, value),
      ...fromHeaderLine(value),
      ...fromUrl(value),
    ];
  });
}

function fromFlag(argument: string, next: string | undefined): string[] {
  const [flag = "", ...rest] = argument.split("=");
  if (!flag.startsWith("-") || !SECRET_NAME.test(flag)) return [];
  if (rest.length > 0) return [rest.join("=")];
  return next === undefined || next.startsWith("-") ? [] : [next];
}

/** `-e NAME=x`, as containers are given their environment. */
function fromVariable(flag: string | undefined, value: string): string[] {
  const [name = "", ...rest] = value.split("=");
  return (flag === "-e" || flag === "--env") && SECRET_NAME.test(name) ? [rest.join("=")] : [];
}

/** `Authorization: Bearer x`, as bridges to remote servers are given their headers. */
function fromHeaderLine(value: string): string[] {
  const [, name = "", text = ""] = /^([A-Za-z][A-Za-z0-9-]*): *(\S.*)$/.exec(value) ?? [];
  return SECRET_NAME.test(name) ? fromHeaders({ headers: { [name]: text } }) : [];
}

function targetsOf(launch: Launch): readonly HttpTarget[] {
  if (launch.transport === "stdio" || launch.transport === "local") return [];
  return launch.transport === "custom" ? launch.tools : [launch];
}

function fromTarget(target: HttpTarget): string[] {
  return [...fromAuthentication(target), ...fromHeaders(target), ...fromUrl(target.url)];
}

function fromAuthentication({ authentication }: Pick<HttpTarget, "authentication">): string[] {
  if (authentication.type === "bearer") return [authentication.token];
  if (authentication.type === "api-key") return [authentication.key];
  if (authentication.type === "none") return [];
  const { username, password } = authentication;
  // Some APIs take their key as the user name.
  return [username, password, toBase64(`${username}:${password}`)];
}

function fromHeaders({ headers }: Pick<HttpTarget, "headers">): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (isHarmlessHeader(name)) return [];
    if (name.toLowerCase() === "cookie") return [value, ...cookieValues(value)];
    // In `Bearer x` it is x that matters, wherever it turns up again.
    const [, scheme = "", token] = /^([A-Za-z][A-Za-z0-9-]*) +(\S+)$/.exec(value) ?? [];
    if (token === undefined) return [value];
    return scheme.toLowerCase() === "basic" ? [value, token, ...basicParts(token)] : [value, token];
  });
}

function cookieValues(header: string): string[] {
  return header.split(";").map((cookie) => cookie.slice(cookie.indexOf("=") + 1).trim());
}

/** Of `Basic x`: some APIs take their key as the user name. */
function basicParts(token: string): string[] {
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const [username = "", ...rest] = new TextDecoder().decode(bytes).split(":");
    return [username, rest.join(":")];
  } catch {
    return [];
  }
}

function isHarmlessHeader(name: string): boolean {
  return HARMLESS_HEADERS.has(name.toLowerCase());
}

function fromUrl(url: string): string[] {
  return [...secretQueryValues(url), ...urlPasswords(url)];
}

/** Addresses of databases and the like carry their password before the host, whatever the variable is called. */
function urlPasswords(value: string): string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i.test(value) || !URL.canParse(value)) return [];
  const { password } = new URL(value);
  return password === "" ? [] : [password, decoded(password), value];
}

/** A password with a `%` that encodes nothing is what it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function secretQueryValues(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { search, searchParams } = new URL(url);
  const meant = [...searchParams].flatMap(([name, value]) => (SECRET_NAME.test(name) && value !== "" ? [value] : []));
  // Not everybody encodes the same characters: as it is written, and as it is sent, it may be neither form of what is meant.
  const known = new Set(meant.flatMap(formsOf));
  const written = [url.replace(/^[^?]*/, ""), search].flatMap(rawSecretValues).filter((value) => !known.has(value));
  return [...meant, ...written];
}

function rawSecretValues(query: string): string[] {
  const [parameters = ""] = query.slice(1).split("#");
  return parameters.split("&").flatMap((parameter) => {
    const [name = "", ...rest] = parameter.split("=");
    const value = rest.join("=");
    return SECRET_NAME.test(name) && value !== "" ? [value] : [];
  });
}

function formsOf(secret: string): string[] {
  const base64 = toBase64(secret).replace(/=+$/, "");
  const urlSafe = base64.replaceAll("+", "-").replaceAll("/", "_");
  const escaped = escapeText(secret);
  // As Python and others write JSON.
  const ascii = escaped.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  // Servers that repeat a request have JSON in their JSON, and addresses in addresses.
  return [secret, escaped, escapeText(escaped), ascii, base64, urlSafe, ...urlForms(secret)];
}

function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function urlForms(secret: string): string[] {
  // Half of a surrogate pair has no URL form.
  if (/\p{Surrogate}/u.test(secret)) return [];
  const encoded = encodeURIComponent(secret);
  const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  return [encoded, lowerCase, form, encodeURI(secret), encodeURIComponent(encoded)];
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
