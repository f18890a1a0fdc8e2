import { type Authentication, ConnectionError, type HttpTarget } from "@tacklebox/core";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What the definition asks to send with every request: its headers, then authentication, which wins (S1.26). */
export function launchHeaders(launch: HttpTarget): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of [...Object.entries(launch.headers), ...authenticationHeaders(launch.authentication)]) {
    if (!TOKEN.test(name)) throw misconfigured(`"${name}" is not a valid header name`);
    if (!VALUE.test(value))
      throw misconfigured(`The value of header "${name}" has characters that HTTP does not allow`);
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/**
 * All headers of one request: the protocol's content type may be replaced by the definition,
 * what the protocol needs to work (accept, mcp-*, last-event-id) may not.
 */
export function requestHeaders(
  ofLaunch: Readonly<Record<string, string>>,
  ofProtocol: Readonly<Record<string, string>>,
): Record<string, string> {
  const contentType = ofProtocol["content-type"];
  const start: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
  const headers = { ...start, ...ofLaunch };
  for (const [name, value] of Object.entries(ofProtocol)) if (name !== "content-type") headers[name] = value;
  return headers;
}

/** The URL requests go to, refused when it could leak a secret or means nothing to HTTP (D.4). */
export function launchUrl(launch: HttpTarget): URL {
  if (!URL.canParse(launch.url)) throw misconfigured("The server's address is not a valid URL");
  const url = new URL(launch.url);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw misconfigured(`The server's address starts with "${url.protocol}"; use http: or https:`);
  }
  if (url.username !== "" || url.password !== "") {
    throw misconfigured("The server's address carries a user name or password; use authentication instead");
  }
  return url;
}

/** Base64 of the UTF-8 bytes; plain btoa throws beyond Latin-1 (T1.12). */
export function base64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function authenticationHeaders(authentication: Authentication): [string, string][] {
  switch (authentication.type) {
    case "none":
      return [];
    case "bearer":
      return [["Authorization", `Bearer ${authentication.token}`]];
    case "api-key":
      return [[authentication.header, authentication.key]];
    case "basic":
      return [["Authorization", `Basic ${base64(`${authentication.username}:${authentication.password}`)}`]];
  }
}

function misconfigured(what: string): ConnectionError {
  return new ConnectionError("misconfigured", `${what}.`);
}
