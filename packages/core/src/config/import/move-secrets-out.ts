import { credentialsIn } from "../../secrets/credentials-in-text.ts";
import { isSecretUnder } from "../../secrets/guessed-secrets.ts";
import { isToken } from "../../secrets/known-tokens.ts";
import { whyNotStored } from "../../secrets/secret-length.ts";
import { isCertainlySecretName, isSecretName } from "../../secrets/secret-names.ts";
import { isMap } from "../document/check-shape.ts";
import { claimSecretName } from "./draft-names.ts";
import type { ImportedSecret } from "./import-draft.ts";
import { isSecretHeader, isSecretVariable } from "./looks-secret.ts";

export interface WithoutSecrets {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly secrets: readonly ImportedSecret[];
}

/** Records a secret and returns the reference that replaces it. */
type ExtractSecret = (value: string, field: string, where: string) => string;

/**
 * Replaces every credential in the entry with `${secret:NAME}` and returns both. Texts that already hold a reference
 * are left as they are. Names in `taken` are not used, and every name used is added to it.
 */
export function moveSecretsOut(
  server: string,
  entry: Readonly<Record<string, unknown>>,
  taken: Set<string> = new Set(),
): WithoutSecrets {
  const secrets: ImportedSecret[] = [];
  const extract: ExtractSecret = (value, field, where) => {
    const name = claimSecretName(server, field, taken);
    secrets.push({ name, where, value });
    return `\${secret:${name}}`;
  };
  const changed = Object.entries(entry).map(([key, value]): [string, unknown] => {
    if (key === "env") return [key, mapTexts(value, (text, name) => fromVariable(name, text, extract))];
    if (key === "headers") return [key, mapTexts(value, (text, name) => fromHeader(name, text, extract))];
    if (key === "authentication") return [key, mapTexts(value, (text, name) => fromCredential(name, text, extract))];
    if (key === "args" && isTextList(value)) return [key, fromArguments(value, extract)];
    if (key === "url" && typeof value === "string") return [key, fromQuery(value, extract)];
    return [key, value];
  });
  return { entry: Object.fromEntries(changed), secrets };
}

function fromVariable(name: string, text: string, extract: ExtractSecret): string {
  if (isSafe(text) || isShortSetting(name, text) || isPlainText(name, text)) return text;
  if (isSecretVariable(name) || isToken(text)) return extract(text, name, `env ${name}`);
  return withoutCredentials(text, (value) => extract(value, name, `env ${name}`));
}

function fromHeader(name: string, text: string, extract: ExtractSecret): string {
  if (isSafe(text) || !isSecretHeader(name) || isShortSetting(name, text)) return text;
  return withoutScheme(text, (value) => extract(value, name, `header ${name}`));
}

function fromCredential(field: string, text: string, extract: ExtractSecret): string {
  const isCredential = field === "token" || field === "key" || field === "password";
  return isSafe(text) || !isCredential ? text : extract(text, field, `authentication ${field}`);
}

function fromArguments(args: readonly string[], extract: ExtractSecret): readonly string[] {
  return args.map((text, index) => {
    if (isSafe(text)) return text;
    const where = `argument ${index + 1}`;
    const flag = args[index - 1] ?? "";
    if (/^-[^=]*$/.test(flag) && isSecretVariable(flag) && !isPlainText(flag, text) && !text.startsWith("-"))
      return extract(text, flag, where);
    if (HEADER_FLAG.test(flag)) return fromHeaderLine(text, where, extract);
    // `--header=X-Key: x` and `-HX-Key: x`.
    const [, joined = "", line = ""] = /^(--headers?=|-H)(.+)$/s.exec(text) ?? [];
    if (joined !== "") return `${joined}${fromHeaderLine(line, where, extract)}`;
    // `--token=x` of many programs, `TOKEN=x` of docker's -e, `Authorization: x` of mcp-remote's --header.
    const [, name = "", joint = "", value = ""] = /^([\w.-]+)(=|: *)([\s\S]+)$/.exec(text) ?? [];
    if (
      value !== "" &&
      isSecretVariable(name) &&
      !isSafe(value) &&
      !isShortSetting(name, value) &&
      !isPlainText(name, value)
    )
      return `${name}${joint}${withoutScheme(value, (secret) => extract(secret, name, where))}`;
    if (isToken(text)) return extract(text, `argument ${index + 1}`, where);
    return withoutCredentials(text, (secret, called) => extract(secret, called, where));
  });
}

const HEADER_FLAG = /^(-H|--headers?)$/;

function fromHeaderLine(line: string, where: string, extract: ExtractSecret): string {
  const [, name = "", joint = "", value = ""] = /^([A-Za-z][\w-]*)(: *)([\s\S]+)$/.exec(line) ?? [];
  if (name === "" || !isSecretHeader(name) || isShortSetting(name, value)) return line;
  return `${name}${joint}${withoutScheme(value, (secret) => extract(secret, name, where))}`;
}

/** Works on the text, because a URL object would encode references that are already there. */
function fromQuery(url: string, extract: ExtractSecret): string {
  const [, head = url, query = "", tail = ""] = /^([^?#]*\?)([^#]*)(.*)$/s.exec(url) ?? [];
  const parts = query.split("&").map((part) => {
    const [name = "", ...rest] = part.split("=");
    const value = rest.join("=");
    if (isSafe(value) || !(isSecretVariable(name) || isToken(value))) return part;
    return `${name}=${extract(decoded(value), name, `url query ${name}`)}`;
  });
  return query === "" ? url : `${head}${parts.join("&")}${tail}`;
}

/** Replaces only the `x` of `Bearer x`. */
function withoutScheme(text: string, replace: (secret: string) => string): string {
  const [, scheme = "", secret = text] = /^((?:Bearer|Basic|Token|ApiKey|Digest|DPoP) +)(\S+)$/i.exec(text) ?? [];
  return `${scheme}${replace(secret)}`;
}

/** Replaces the credentials inside a longer text, such as the password of `postgres://ada:secret@host`. */
function withoutCredentials(text: string, replace: (secret: string, name: string) => string): string {
  // Of `Bearer x`, only x is replaced.
  const shortestFirst = [...credentialsIn(text)].sort((a, b) => a.written.length - b.written.length);
  return shortestFirst.reduce((changed, { name, written }) => {
    const at = isSafe(written) ? -1 : indexBehindSign(changed, written);
    if (at === -1) return changed;
    return `${changed.slice(0, at)}${replace(written, name)}${changed.slice(at + written.length)}`;
  }, text);
}

/** Finds a value where one can begin: behind a sign, and not in the middle of a word that happens to contain it. */
function indexBehindSign(text: string, value: string): number {
  let at = text.indexOf(value);
  while (at > 0 && !/[:=\s"'/{(,]/.test(text.charAt(at - 1))) at = text.indexOf(value, at + 1);
  return at;
}

/**
 * True for a value that could not be stored as a secret and need not be one: `X-Tenant: acme` is a header like any other,
 * while an `API_TOKEN` is a credential whatever its length.
 */
function isShortSetting(name: string, value: string): boolean {
  const isCredential = isCertainlySecretName(name) || /^(proxy-)?authorization$/i.test(name);
  return !isCredential && whyNotStored(value) !== undefined;
}

/** True under a name that may be that of a secret, for a value that is none: `AUTH_PROVIDER=github`. */
function isPlainText(name: string, value: string): boolean {
  return isSecretName(name) && !isSecretUnder(name, value);
}

/** True for an empty text, a boolean, or a text whose secret is a reference already. */
function isSafe(text: string): boolean {
  return text === "" || text.includes("${") || /^(true|false|yes|no|on|off)$/i.test(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // A stray % is not an encoding, so the text itself is the value.
    return text;
  }
}

function mapTexts(map: unknown, change: (text: string, name: string) => string): unknown {
  if (!isMap(map)) return map;
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, typeof value === "string" ? change(value, name) : value]),
  );
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
