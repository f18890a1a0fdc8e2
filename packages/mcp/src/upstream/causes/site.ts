import type { Advice, HttpTarget, ServerDefinition } from "@tacklebox/core";
import type { RedactServerText } from "../protocol/redact-server-text.ts";

/** What has to be known about a remote server to say what its refusal means and what to do about it. */
export interface Site {
  /** The configured address, without its query. */
  readonly address: string;
  readonly transport: "http" | "streamable-http" | "sse" | "custom";
  readonly sendsCredentials: boolean;
  readonly scope: ServerDefinition["scope"];
  /** A name for a secret that holds the server's token. */
  readonly secretName: string;
  /** Absent if the program around the engine keeps no secrets. */
  readonly storeSecret: Advice["storeSecret"] | undefined;
  readonly redact: RedactServerText;
}

export interface SiteOptions extends Pick<Site, "address" | "transport" | "storeSecret" | "redact"> {
  readonly definition: Pick<ServerDefinition, "key" | "scope">;
  readonly target: HttpTarget;
}

/** Header names under which credentials travel. */
const CREDENTIAL_HEADER = /auth|token|key|secret|cookie|credential/i;

export function toSite({ definition, target, ...site }: SiteOptions): Site {
  const names = Object.keys(target.headers);
  return {
    ...site,
    scope: definition.scope,
    sendsCredentials: target.authentication.type !== "none" || names.some((name) => CREDENTIAL_HEADER.test(name)),
    secretName: secretNameFor(definition.key),
  };
}

function secretNameFor(key: string): string {
  const words = key.toUpperCase().match(/[A-Z0-9]+/g) ?? ["SERVER"];
  return (words.at(-1) === "TOKEN" ? words : [...words, "TOKEN"]).join("_");
}
