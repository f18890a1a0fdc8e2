import { credentialPlaces, type HttpTarget } from "../domain/launch.ts";
import type { ModelDefinition } from "../domain/model.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { formsOf, toBase64 } from "./secret-forms.ts";
import { holdsReference } from "./secret-reference.ts";

/** Shorter values occur by chance, and redacting them would make messages unreadable. */
export const MIN_SECRET_LENGTH = 6;
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

/** Returns every value of a server's definition that must not appear in a log, a record, an event or an error. */
export function secretsOf({ launch }: Pick<ServerDefinition, "launch">): string[] {
  const { env, args, targets } = credentialPlaces(launch);
  return usable([...env.flatMap(fromEnvironment), ...args.flatMap(secretArguments), ...targets.flatMap(fromTarget)]);
}

/** Like secretsOf, for all servers and models of a configuration. */
export function secretsOfConfig(config: {
  readonly servers: readonly ServerDefinition[];
  readonly models?: readonly ModelDefinition[];
}): string[] {
  return [...config.servers.flatMap(secretsOf), ...(config.models ?? []).flatMap(secretsOfModel)];
}

/** Like secretsOf, for a model. */
export function secretsOfModel({ apiKey, baseUrl, headers }: ModelDefinition): string[] {
  const ofUrl = baseUrl === undefined ? [] : fromUrl(baseUrl);
  return usable([...(apiKey === undefined ? [] : [apiKey]), ...fromHeaders({ headers }), ...ofUrl]);
}

/** Leaves out references, which are not secrets: people need to read which secret is used. */
function usable(found: readonly string[]): string[] {
  return [...new Set(found.filter((secret) => secret.length >= MIN_SECRET_LENGTH && !holdsReference(secret)))];
}

/** Whether these requests carry something that an eavesdropper could use. */
export function carriesCredentials({ url, headers, authentication }: HttpTarget): boolean {
  if (authentication.type !== "none") return true;
  if (Object.keys(headers).some((name) => !isHarmlessHeader(name))) return true;
  return secretQueryValues(url).length > 0;
}

function fromEnvironment(env: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
  return [...values, ...Object.values(env).flatMap(fromUrl)];
}

/** Finds `--token=x` and `--token x`, and variables, headers and URLs that a program passes on to others. */
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

/** Finds `-e NAME=x`, the way to set a container's environment. */
function fromVariable(flag: string | undefined, value: string): string[] {
  const [name = "", ...rest] = value.split("=");
  return (flag === "-e" || flag === "--env") && SECRET_NAME.test(name) ? [rest.join("=")] : [];
}

/** Finds `Authorization: Bearer x`, the way to pass headers to bridges to remote servers. */
function fromHeaderLine(value: string): string[] {
  const [, name = "", text = ""] = /^([A-Za-z][A-Za-z0-9-]*): *(\S.*)$/.exec(value) ?? [];
  return SECRET_NAME.test(name) ? fromHeaders({ headers: { [name]: text } }) : [];
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
    // In `Bearer x`, x alone is a secret too.
    const [, scheme = "", token] = /^([A-Za-z][A-Za-z0-9-]*) +(\S+)$/.exec(value) ?? [];
    if (token === undefined) return [value];
    return scheme.toLowerCase() === "basic" ? [value, token, ...basicParts(token)] : [value, token];
  });
}

function cookieValues(header: string): string[] {
  return header.split(";").map((cookie) => cookie.slice(cookie.indexOf("=") + 1).trim());
}

/** Decodes `Basic x`, including the user name, because some APIs take their key there. */
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

/** Finds passwords before the host, as in database URLs, whatever the variable is called. */
function urlPasswords(value: string): string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i.test(value) || !URL.canParse(value)) return [];
  const { password } = new URL(value);
  return password === "" ? [] : [password, decoded(password), value];
}

/** A password with a `%` that is not an encoding is returned unchanged. */
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
  const decodedValues = [...searchParams].flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== "" ? [value] : [],
  );
  // Encoders differ, so the value as written or as sent may match none of the known forms of the decoded value.
  const known = new Set(decodedValues.flatMap(formsOf));
  const written = [url.replace(/^[^?]*/, ""), search].flatMap(rawSecretValues).filter((value) => !known.has(value));
  return [...decodedValues, ...written];
}

function rawSecretValues(query: string): string[] {
  const [parameters = ""] = query.slice(1).split("#");
  return parameters.split("&").flatMap((parameter) => {
    const [name = "", ...rest] = parameter.split("=");
    const value = rest.join("=");
    return SECRET_NAME.test(name) && value !== "" ? [value] : [];
  });
}
