import { isJsonObject, type Json } from "./json.ts";
import type { ModelDefinition } from "./model.ts";
import { nestsDeeper } from "./nesting.ts";
import { holdsReference } from "./secret-reference.ts";
import type { HttpTarget, Launch, ServerDefinition } from "./server.ts";

/** Strikes known secrets out of a text. */
export interface Redactor {
  (text: string): string;
  /** True while there is nothing to strike out, so that large values need not be walked for nothing. */
  readonly idle?: boolean;
}

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

/** As secretsOf, for a model. */
export function secretsOfModel({ apiKey, baseUrl, headers }: ModelDefinition): string[] {
  const ofUrl = baseUrl === undefined ? [] : [...secretQueryValues(baseUrl), ...urlPasswords(baseUrl)];
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
  return (text) => (text.length < shortest || !first.test(text) ? text : text.replace(every, "[redacted]"));
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
  return [...values, ...Object.values(launch.env).flatMap(urlPasswords), ...secretArguments(launch.args)];
}

/** `--token=x` and `--token x`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [flag = "", ...rest] = argument.split("=");
    if (!flag.startsWith("-") || !SECRET_NAME.test(flag)) return [];
    if (rest.length > 0) return [rest.join("=")];
    const next = args[index + 1];
    return next === undefined || next.startsWith("-") ? [] : [next];
  });
}

function targetsOf(launch: Launch): readonly HttpTarget[] {
  if (launch.transport === "stdio" || launch.transport === "local") return [];
  return launch.transport === "custom" ? launch.tools : [launch];
}

function fromTarget(target: HttpTarget): string[] {
  return [...fromAuthentication(target), ...fromHeaders(target), ...secretQueryValues(target.url)];
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
    // In `Bearer x` it is x that matters, wherever it turns up again.
    const scheme = /^[A-Za-z][A-Za-z0-9-]* +(\S+)$/.exec(value);
    return scheme?.[1] === undefined ? [value] : [value, scheme[1]];
  });
}

function isHarmlessHeader(name: string): boolean {
  return HARMLESS_HEADERS.has(name.toLowerCase());
}

/** Addresses of databases and the like carry their password before the host, whatever the variable is called. */
function urlPasswords(value: string): string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i.test(value) || !URL.canParse(value)) return [];
  const { password } = new URL(value);
  return password === "" ? [] : [password, decodeURIComponent(password), value];
}

function secretQueryValues(url: string): string[] {
  if (!URL.canParse(url)) return [];
  return [...new URL(url).searchParams].flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== "" ? [value] : [],
  );
}

function formsOf(secret: string): string[] {
  const base64 = toBase64(secret).replace(/=+$/, "");
  const urlSafe = base64.replaceAll("+", "-").replaceAll("/", "_");
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, base64, urlSafe, ...urlForms(secret)];
}

function urlForms(secret: string): string[] {
  // Half of a surrogate pair has no URL form.
  if (/\p{Surrogate}/u.test(secret)) return [];
  const encoded = encodeURIComponent(secret);
  const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  return [encoded, lowerCase, form];
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
