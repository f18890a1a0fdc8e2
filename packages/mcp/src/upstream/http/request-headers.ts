import { type Authentication, ConnectionError, type HttpTarget } from "@tacklebox/core";
import { base64 } from "../protocol/base64.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers of a definition, sent with every request; authentication overrides a configured header. */
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
 * All headers of one request. The definition may override the protocol's content type, but not the headers the protocol
 * needs to work (accept, mcp-*, last-event-id).
 */
export function requestHeaders(
  fromLaunch: Readonly<Record<string, string>>,
  fromProtocol: Readonly<Record<string, string>>,
): Record<string, string> {
  const contentType = fromProtocol["content-type"];
  const start: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
  const headers = { ...start, ...fromLaunch };
  for (const [name, value] of Object.entries(fromProtocol)) if (name !== "content-type") headers[name] = value;
  return headers;
}

/** The URL requests go to. Throws ConnectionError if it could leak a secret or is not an HTTP address. */
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
