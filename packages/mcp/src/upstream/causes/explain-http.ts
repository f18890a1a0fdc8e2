import type { Challenge } from "./challenge.ts";
import type { HttpCause } from "./http-cause.ts";
import type { Site } from "./site.ts";

/** What a refusal means and what to do about it, to be shown below the status; undefined if the status says it all. */
export function explainHttp(cause: HttpCause, site: Site): string | undefined {
  switch (cause.kind) {
    case "sign-in":
      return explainSignIn(cause.challenges, site);
    case "missing-scope":
      return explainScope(cause.challenge, site);
    case "forbidden":
      return site.sendsCredentials
        ? "The server does not allow this with the credentials it was sent. Check that they may use this address."
        : "The server does not allow this, and no credentials were sent. Check whether it needs some, and the address.";
    case "wrong-path":
      return `There is no MCP server at ${site.address}. ${checkPath(site)}`;
    case "wrong-method":
      return `${site.address} does not take MCP requests. ${checkPath(site)}`;
    case "redirect":
      return explainRedirect(cause, site);
    case "proxy-sign-in":
      return "A proxy on the way asks for a sign-in; the server itself was not reached. Ask whoever runs your network.";
    case "network-sign-in":
      return "Your network asks for a sign-in; the server itself was not reached. Open a web page in a browser, sign in there, and try again.";
    case "gateway":
      return "A gateway answered in place of the server, which is not running or overloaded. Ask whoever runs it.";
    case "server-failure":
      return "The server itself failed. Its own log may say why; ask whoever runs it.";
    case "other":
      return `${cause.said === undefined ? "The server does not accept this request" : `It says: ${quoted(cause.said, site)}`}. Check the address ${site.address}, the headers and the transport.`;
    case "busy":
      return undefined;
  }
}

/** For an address that answers, but not with MCP. */
export function checkPath({ transport }: Pick<Site, "transport">): string {
  if (transport === "sse")
    return 'Check the path, which is usually /sse, or set the transport to "http", which tries the newer one as well.';
  const usual = "Check the path: MCP servers are usually at /mcp, older ones at /sse.";
  return transport === "streamable-http" ? `${usual} The transport "http" would try both.` : usual;
}

function explainSignIn(challenges: readonly Challenge[], site: Site): string {
  const [challenge] = challenges;
  const asked = challenges.map((one) => describeChallenge(one, site)).join(", or ");
  const sentences = site.sendsCredentials
    ? ["The server refused the credentials it was sent.", ...said(challenge, site)]
    : ["The server wants you to sign in, and no credentials were sent."];
  if (asked !== "") sentences.push(`It asks for ${asked}.`);
  sentences.push(...metadata(challenge, site), site.sendsCredentials ? howToReplace(site) : howToSend(challenge, site));
  return sentences.join(" ");
}

function explainScope(challenge: Challenge, site: Site): string {
  const { scope } = challenge;
  const needs = scope === undefined ? "more rights" : `the scope ${quoted(scope, site)}`;
  const sentences = [
    `The server needs ${needs}, which ${site.sendsCredentials ? "the credentials do" : "this request does"} not have.`,
    ...said(challenge, site),
    ...metadata(challenge, site),
    site.sendsCredentials ? howToReplace(site) : howToSend(challenge, site),
  ];
  return sentences.join(" ");
}

function describeChallenge({ scheme, realm, scope }: Challenge, site: Site): string {
  const credential = scheme.toLowerCase() === "bearer" ? "a Bearer token" : `${printed(scheme, site)} credentials`;
  const details = [
    ...(realm === undefined ? [] : [`realm ${quoted(realm, site)}`]),
    ...(scope === undefined ? [] : [`scope ${quoted(scope, site)}`]),
  ];
  return details.length === 0 ? credential : `${credential} (${details.join(", ")})`;
}

function said(challenge: Challenge | undefined, site: Site): string[] {
  const description = challenge?.errorDescription;
  return description === undefined ? [] : [`It says: ${quoted(description, site)}.`];
}

/** Only what is an address: anything else there was not meant for people. */
function metadata(challenge: Challenge | undefined, site: Site): string[] {
  const given = challenge?.resourceMetadata;
  if (given === undefined || !URL.canParse(given)) return [];
  const { protocol, origin, pathname } = new URL(given);
  if (protocol !== "https:" && protocol !== "http:") return [];
  const address = printed(`${origin}${pathname}`, site);
  return [`How to sign in is described at ${address}.`];
}

function howToSend(challenge: Challenge | undefined, site: Site): string {
  const isBasic = challenge?.scheme.toLowerCase() === "basic";
  const scheme = isBasic ? "Basic" : "Bearer";
  if (site.scope === "session") return "Where this server is set up, add what it asks for to its headers.";
  const { secretName, storeSecret } = site;
  if (storeSecret === undefined) return `Send the header "Authorization: ${scheme} …" with its requests.`;
  const what = isBasic ? "user:password, in base64," : "the token";
  return `In its config entry, add to headers: Authorization: "${scheme} \${secret:${secretName}}". Then store ${what} with: ${storeSecret(secretName)}`;
}

function howToReplace({ scope, storeSecret }: Site): string {
  if (scope === "session") return "Where this server is set up, replace the credentials in its headers.";
  const replace = "Replace the credentials in its config entry";
  return storeSecret === undefined ? `${replace}.` : `${replace}, or the secret it names, with: ${storeSecret("NAME")}`;
}

function explainRedirect(cause: Extract<HttpCause, { kind: "redirect" }>, site: Site): string {
  if (cause.to === undefined) return "It redirects, but not to an address. Check the address.";
  const to = printed(cause.to, site);
  if (cause.isSameOrigin) return `It redirects to ${to} in a way that drops the request. Use that address instead.`;
  return `It redirects to ${to}, which was not followed, as credentials would go there. If the server has moved, use that address; if that is a sign-in page, sign in to your network or proxy first.`;
}

const MAX_SHOWN = 200;

function quoted(text: string, site: Site): string {
  return `"${printed(text, site)}"`;
}

/** Redacted before it is cut: a secret cut in half would not be found. */
function printed(text: string, { redact }: Site): string {
  const clean = redact(text).replaceAll(/\s+/g, " ").trim();
  return clean.length > MAX_SHOWN ? `${clean.slice(0, MAX_SHOWN)}…` : clean;
}
