import { isCertainSecret } from "./guessed-secrets.ts";
import { tokensIn } from "./known-tokens.ts";
import { isOrdinary } from "./ordinary-values.ts";
import { isCertainlySecretName, isSecretName } from "./secret-names.ts";

/** A credential inside a longer text, exactly as it is written there. */
export interface TextCredential {
  /** What it is called there: `password`, `AccountKey`. */
  readonly name: string;
  readonly written: string;
}

/**
 * Finds the credentials of a text that is an argument or a variable: in URLs, connection strings, header lines, commands
 * and JSON, and tokens with a well-known beginning.
 */
export function credentialsIn(text: string): readonly TextCredential[] {
  const found = [
    ...urlsIn(text).flatMap((url) => [...userInfoOf(url), ...parametersOf(url)]),
    ...loginIn(text),
    ...(text.includes(";") ? fieldsIn(text) : []),
    ...pairsIn(text),
    ...flagsIn(text),
    ...headerLinesIn(text),
    ...jsonMembersIn(text),
    ...tokensIn(text).map((written) => ({ name: "token", written })),
  ];
  return found.filter(({ written }) => written !== "");
}

/** Returns the URLs in a text. A quote ends one, unless the text is a URL and nothing else. */
export function urlsIn(text: string): readonly string[] {
  if (/^[a-z][a-z0-9+.-]{0,30}:\/\/\S+$/i.test(text)) return [text, ...quotedUrlsIn(text.slice(1))];
  return quotedUrlsIn(text);
}

function quotedUrlsIn(text: string): readonly string[] {
  return text.match(/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>`]+/gi) ?? [];
}

/** The password before the host; without one, a user name that looks like a key. */
export function userInfoOf(url: string): readonly TextCredential[] {
  const rest = url.slice(url.indexOf("://") + 3);
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? "";
  const end = authority.lastIndexOf("@");
  if (end === -1) return unescapedPassword(rest, authority);
  const userInfo = authority.slice(0, end);
  const colon = userInfo.indexOf(":");
  if (colon !== -1) return [{ name: "password", written: userInfo.slice(colon + 1) }];
  return userInfo.length < 8 || isOrdinary(userInfo) ? [] : [{ name: "user", written: userInfo }];
}

/** People forget to encode a `/`, `?` or `#` in a password. What follows a host's `:` is a number. */
function unescapedPassword(rest: string, authority: string): readonly TextCredential[] {
  const [, start = ""] = /^([^:@]*:)(?!\d*$)/.exec(authority) ?? [];
  const end = rest.lastIndexOf("@");
  return start === "" || end <= start.length ? [] : [{ name: "password", written: rest.slice(start.length, end) }];
}

/** Parameters behind `?` and `#`. */
function parametersOf(url: string): readonly TextCredential[] {
  const [, ...parts] = url.split(/[?#]/);
  return parts
    .flatMap((part) => part.split(/[&;]/))
    .flatMap((parameter) => {
      const [name = "", ...rest] = parameter.split("=");
      return isSecretName(name) ? [{ name, written: rest.join("=") }] : [];
    });
}

/** `user:password@host:5432/db` and `user:password@tcp(host)/db`, which have no scheme. */
function loginIn(text: string): readonly TextCredential[] {
  const [, name = "", written = ""] =
    /^([\w.+-]{1,60}):([^\s]+)@(?:(?:tcp|unix)\(|[\w.-]{1,250}(?::\d{1,5})?(?:\/|$)|[\w.-]{1,250}:\d{1,5}$)/.exec(
      text,
    ) ?? [];
  // Not an address, an image or a package: `mailto:ada@host`, `image:tag@sha256:…`, `npm:name@1.2.3`.
  if (/^(mailto|npm|file|git|github|https?|ssh|docker|sha256)$/i.test(name) || written.startsWith("//")) return [];
  return written === "" || /@[\d.]+$/.test(text) ? [] : [{ name: "password", written }];
}

/** `Server=db;Password=x;`, the strings that ADO.NET, ODBC, JDBC and Azure use. Values may be quoted. */
function fieldsIn(text: string): readonly TextCredential[] {
  const field = /(?:^|;)\s*([A-Za-z][\w .-]{0,60}?)\s*=\s*("[^"]*"|'[^']*'|\{[^}]*\}|[^;]*)/g;
  return Array.from(text.matchAll(field), ([, name = "", value = ""]) => ({
    name,
    written: unquoted(value.trim()),
  })).filter(({ name, written }) => isCertainSecret(name, written));
}

/** `host=db password=x`, `API_TOKEN=x node server.js`, `team=a,api-key=x`. */
function pairsIn(text: string): readonly TextCredential[] {
  const pair = /(?:^|[\s,"'])([A-Za-z][\w.-]{0,60})=(?=("[^"]*"|'(?:\\.|[^'\\])*'|\S*?(?=;?(?:\s|$))))/g;
  return Array.from(text.matchAll(pair)).flatMap(([, name = "", value = ""]) => {
    const written = unquoted(value);
    if (!isCertainSecret(name, written)) return [];
    // In a list of pairs a comma ends the value; elsewhere it may be part of it.
    const [first = ""] = written.split(/,(?=[\w.-]+=)/);
    return first === written ? [{ name, written }] : [written, first].map((part) => ({ name, written: part }));
  });
}

/** Flags in a command that is one argument, as for `sh -c`. */
function flagsIn(text: string): readonly TextCredential[] {
  const flag = /(?:^|\s)--?([A-Za-z][\w-]{0,60})(?=(?:=|\s+)("[^"]*"|'[^']*'|[^\s;"']+))/g;
  return Array.from(text.matchAll(flag), ([, name = "", value = ""]) => ({ name, written: unquoted(value) })).filter(
    ({ name, written }) => isCertainSecret(name, written) && !written.startsWith("-"),
  );
}

/** `-H "Authorization: Bearer x"` in a command, and `Bearer x` anywhere. */
function headerLinesIn(text: string): readonly TextCredential[] {
  const lines = Array.from(text.matchAll(/(?:^|[\s"'])([A-Za-z][\w-]{0,60}):\s*([^"'\r\n]+)/g)).flatMap(
    ([, name = "", value = ""]) => (isHeaderOfSecret(name) ? withoutScheme(name, value.trim()) : []),
  );
  const schemes = Array.from(
    text.matchAll(/\b(Bearer|Basic|ApiKey|Token)\s+([^\s"']+?)(?=[,;]?(?:[\s"']|$))/gi),
    ([, name = "", written = ""]) => ({ name, written }),
  );
  return [...lines, ...schemes.filter(({ written }) => !isOrdinary(written))];
}

function isHeaderOfSecret(name: string): boolean {
  if (/^(proxy-)?authorization$|^cookie$/i.test(name) || isCertainlySecretName(name)) return true;
  return name.includes("-") && isSecretName(name);
}

/** In `Bearer x`, x alone is a credential too. */
function withoutScheme(name: string, value: string): readonly TextCredential[] {
  const [, token] = /^[A-Za-z][A-Za-z0-9-]* +(\S+)$/.exec(value) ?? [];
  const whole = { name, written: value };
  return token === undefined ? [whole] : [whole, { name, written: token }];
}

/** `{"Authorization": "Bearer x"}`: some programs take their headers or settings as JSON. */
function jsonMembersIn(text: string): readonly TextCredential[] {
  if (!/^\s*[{[]/.test(text)) return [];
  const member = /"((?:[^"\\]|\\.){1,80})"\s*:\s*"((?:[^"\\]|\\.)*)"/g;
  return Array.from(text.matchAll(member)).flatMap(([, name = "", written = ""]) =>
    isSecretName(name) ? withoutScheme(name, written) : [],
  );
}

function unquoted(value: string): string {
  return /^(["'{]).*(["'}])$/s.test(value) && value.length >= 2 ? value.slice(1, -1) : value;
}
