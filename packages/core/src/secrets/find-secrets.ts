import { credentialPlaces, type HttpTarget, type Launch } from "../domain/launch.ts";
import type { ModelDefinition } from "../domain/model.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { credentialsIn, urlsIn, userInfoOf } from "./credentials-in-text.ts";
import { isCertainSecret, isSecretUnder } from "./guessed-secrets.ts";
import { isSetting } from "./ordinary-values.ts";
import { formsOf, toBase64 } from "./secret-forms.ts";
import { isRedactable, whyNotRedacted } from "./secret-length.ts";
import { isCertainlySecretName, isHarmlessHeader, isSecretName } from "./secret-names.ts";
import { holdsReference } from "./secret-reference.ts";

/** A value that is or may be a credential. */
interface Credential {
  readonly value: string;
  readonly place: CredentialPlace;
  /** True if its place leaves no doubt: people are told when it cannot be redacted. */
  readonly certain: boolean;
}

/** Where a credential stands: the field, and which member of it. */
export type CredentialPlace =
  | { readonly field: "env" | "headers" | "authentication"; readonly member: string }
  | { readonly field: "args"; readonly member: number }
  | { readonly field: "url" | "api_key" };

/** Returns every value of a server's definition that must not appear in a log, a record, an event or an error. */
export function secretsOf({ launch }: Pick<ServerDefinition, "launch">): string[] {
  return usable(credentialsOf(launch));
}

/** Like secretsOf, with where each of them stands. */
export function secretsAtPlaces(launch: Launch): readonly Pick<Credential, "value" | "place">[] {
  return credentialsOf(launch).filter(({ value }) => isUsable(value));
}

/** Like secretsOf, for all servers and models of a configuration, and what it took from the environment. */
export function secretsOfConfig(config: {
  readonly servers: readonly ServerDefinition[];
  readonly models?: readonly ModelDefinition[];
  readonly fromEnvironment?: readonly string[];
}): string[] {
  const { servers, models = [], fromEnvironment = [] } = config;
  return [...servers.flatMap(secretsOf), ...models.flatMap(secretsOfModel), ...fromEnvironment];
}

/** Like secretsOf, for a model. */
export function secretsOfModel(model: ModelDefinition): string[] {
  return usable(credentialsOfModel(model));
}

/** A credential that is not redacted. */
export interface UnredactedCredential {
  readonly place: CredentialPlace;
  /** The end of a sentence about it. */
  readonly why: string;
}

/** Returns where a launch has credentials that cannot be redacted, each place once. */
export function unredactedCredentialsOf(launch: Launch): UnredactedCredential[] {
  return unredacted(credentialsOf(launch));
}

/** Like unredactedCredentialsOf, for a model. */
export function unredactedCredentialsOfModel(model: ModelDefinition): UnredactedCredential[] {
  return unredacted(credentialsOfModel(model));
}

function credentialsOf(launch: Launch): readonly Credential[] {
  const { env, args, targets } = credentialPlaces(launch);
  return [...env.flatMap(fromEnvironment), ...args.flatMap(fromArguments), ...targets.flatMap(fromTarget)];
}

function credentialsOfModel({ apiKey, baseUrl, headers }: ModelDefinition): readonly Credential[] {
  return [
    ...(apiKey === undefined ? [] : [{ value: apiKey, place: { field: "api_key" } as const, certain: true }]),
    ...fromHeaders(headers),
    ...(baseUrl === undefined ? [] : fromUrl(baseUrl, { field: "url" })),
  ];
}

/** Leaves out references, which are not secrets: people need to read which secret is used. */
function usable(found: readonly Credential[]): string[] {
  return [...new Set(found.map(({ value }) => value).filter(isUsable))];
}

function isUsable(value: string): boolean {
  return isRedactable(value) && !isSetting(value) && !holdsReference(value);
}

function unredacted(found: readonly Credential[]): UnredactedCredential[] {
  const places = new Map<CredentialPlace, UnredactedCredential>();
  for (const { value, place, certain } of found) {
    const why = certain ? whyNotRedacted(value) : undefined;
    if (why !== undefined && !places.has(place)) places.set(place, { place, why });
  }
  return [...places.values()];
}

/** Whether these requests carry something that an eavesdropper could use. */
export function carriesCredentials({ url, headers, authentication }: HttpTarget): boolean {
  if (authentication.type !== "none") return true;
  if (Object.keys(headers).some((name) => !isHarmlessHeader(name))) return true;
  return secretQueryValues(url).length > 0;
}

function fromEnvironment(env: Readonly<Record<string, string>>): Credential[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const place = { field: "env", member: name } as const;
    const whole = isSecretUnder(name, value) ? [{ value, place, certain: isCertainSecret(name, value) }] : [];
    return [...whole, ...fromText(value, place)];
  });
}

/** Finds `--token=x` and `--token x`, and variables, headers, logins and URLs that a program passes on to others. */
function fromArguments(args: readonly string[]): Credential[] {
  return args.flatMap((argument, index) => {
    const place = { field: "args", member: index } as const;
    const { flag, value } = flagOf(argument, args[index - 1]);
    return [...fromFlag(flag, value, place), ...fromText(value, place)];
  });
}

interface Flagged {
  /** The flag that an argument is for; empty if there is none. */
  readonly flag: string;
  readonly value: string;
}

/** `--flag=x`, `--flag x`, and `-Hx` and `-ex`, which some programs accept. */
function flagOf(argument: string, previous = ""): Flagged {
  if (!argument.startsWith("-")) return { flag: /^-[^=]*$/.test(previous) ? previous : "", value: argument };
  const [, short, rest = ""] = /^(-[He])([A-Za-z][\w-]*[=:][\s\S]*)$/.exec(argument) ?? [];
  if (short !== undefined) return { flag: short, value: rest };
  const equals = argument.indexOf("=");
  return equals === -1
    ? { flag: "", value: "" }
    : { flag: argument.slice(0, equals), value: argument.slice(equals + 1) };
}

function fromFlag(flag: string, value: string, place: CredentialPlace): Credential[] {
  if (flag === "-H" || flag === "--header" || flag === "--headers") return fromHeaderLine(value, place);
  if (flag === "-e" || flag === "--env") {
    const [name = "", ...rest] = value.split("=");
    const given = rest.join("=");
    return isSecretUnder(name, given) ? [{ value: given, place, certain: isCertainSecret(name, given) }] : [];
  }
  if (/^(-u|--user|--proxy-user)$/.test(flag) && value.includes(":"))
    return [{ value: value.slice(value.indexOf(":") + 1), place, certain: false }];
  return isSecretUnder(flag, value) ? [{ value, place, certain: isCertainSecret(flag, value) }] : [];
}

/** `Authorization: Bearer x`, the way to pass headers to bridges to remote servers. */
function fromHeaderLine(line: string, place: CredentialPlace): Credential[] {
  const [, name = "", text = ""] = /^([A-Za-z][\w-]*): *(\S[\s\S]*)$/.exec(line) ?? [];
  return name === "" ? [] : fromHeader(name, text, place);
}

/** Finds what people put into a longer text, such as a password in a connection string. */
function fromText(text: string, place: CredentialPlace): Credential[] {
  const written = credentialsIn(text).flatMap(({ name, written: value }) => [
    { value, place, certain: isCertainSecret(name, value) },
    { value: decoded(value), place, certain: false },
  ]);
  const inQueries = urlsIn(text).flatMap(secretQueryValues);
  const all = hasPassword(text) ? [...inQueries, text] : inQueries;
  return [...written, ...all.map((value) => ({ value, place, certain: false }))];
}

/** Whether the text is one URL with a password, which is redacted as a whole wherever possible. */
function hasPassword(text: string): boolean {
  return urlsIn(text)[0] === text && userInfoOf(text).length > 0;
}

function fromTarget(target: HttpTarget): Credential[] {
  return [...fromAuthentication(target), ...fromHeaders(target.headers), ...fromUrl(target.url, { field: "url" })];
}

function fromAuthentication({ authentication }: Pick<HttpTarget, "authentication">): Credential[] {
  const at = (member: string, value: string, certain = true): Credential => ({
    value,
    place: { field: "authentication", member },
    certain,
  });
  if (authentication.type === "bearer") return [at("token", authentication.token)];
  if (authentication.type === "api-key") return [at("key", authentication.key)];
  if (authentication.type === "none") return [];
  const { username, password } = authentication;
  // Some APIs take their key as the user name.
  return [
    at("username", username, password === ""),
    at("password", password),
    at("password", toBase64(`${username}:${password}`)),
  ];
}

function fromHeaders(headers: Readonly<Record<string, string>>): Credential[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    fromHeader(name, value, { field: "headers", member: name }),
  );
}

function fromHeader(name: string, value: string, place: CredentialPlace): Credential[] {
  if (isHarmlessHeader(name)) return fromUrl(value, place);
  const certain = isCertainlySecretName(name) || /^(proxy-)?authorization$/i.test(name);
  const found = (values: readonly string[]) => values.map((text) => ({ value: text, place, certain }));
  if (name.toLowerCase() === "cookie") return found([value, ...cookieValues(value)]);
  // In `Bearer x`, x alone is a secret too.
  const [, scheme = "", token] = /^([A-Za-z][A-Za-z0-9-]*) +(\S+)$/.exec(value) ?? [];
  if (token === undefined) return [...found([value]), ...fromUrl(value, place)];
  return found(scheme.toLowerCase() === "basic" ? [value, token, ...basicParts(token)] : [value, token]);
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

/** The parameters that look secret, and the password or key before the host. */
function fromUrl(url: string, place: CredentialPlace): Credential[] {
  const inQuery = secretQueryValues(url).map((value) => ({ value, place, certain: false }));
  const before = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? userInfoOf(url) : [];
  if (before.length === 0) return inQuery;
  const values = before.flatMap(({ written }) => [written, decoded(written)]);
  return [
    ...inQuery,
    ...values.map((value) => ({ value, place, certain: true })),
    { value: url, place, certain: false },
  ];
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
    isSecretName(name) && value !== "" ? [value] : [],
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
    return isSecretName(name) && value !== "" ? [value] : [];
  });
}
