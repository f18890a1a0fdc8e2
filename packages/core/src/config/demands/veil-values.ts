import type { Launch } from "../../domain/launch.ts";
import { credentialsIn } from "../../secrets/credentials-in-text.ts";
import { secretsOf } from "../../secrets/find-secrets.ts";
import { isMap } from "../document/check-shape.ts";
import { loadsCode } from "../entries/loading-variables.ts";
import { referencesIn } from "../fill-variables.ts";
import { isSecretHeader, isSecretVariable } from "../import/looks-secret.ts";
import { moveSecretsOut } from "../import/move-secrets-out.ts";

/** Stands where a credential does. */
export const VEIL = "…";

/**
 * The value of a variable without its credentials. One that can make programs run other code is shown as it is, since no
 * part of it may change unseen.
 */
export function veilVariable(name: string, value: string): string {
  if (loadsCode(name)) return value;
  if (value.includes("${")) return isSecretVariable(name) ? onlyReferences(value) : withoutWritten(value);
  const launch: Launch = { transport: "stdio", command: "", args: [], env: { [name]: value } };
  return withoutMoved("env", name, value, launch);
}

/** The value of a header without its credentials. */
export function veilHeader(name: string, value: string): string {
  if (value.includes("${")) return isSecretHeader(name) ? onlyReferences(value) : withoutWritten(value);
  const authentication = { type: "none" } as const;
  const launch: Launch = { transport: "http", url: "https://localhost", headers: { [name]: value }, authentication };
  return withoutMoved("headers", name, value, launch);
}

/** Blanks the password of any URL in the text. */
export function withoutUrlPasswords(text: string): string {
  return text.replace(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${VEIL}@`);
}

/** Leaves out what would be stored as a secret if the file were imported, and what would be redacted in messages. */
function withoutMoved(field: "env" | "headers", name: string, value: string, launch: Launch): string {
  const { entry, secrets } = moveSecretsOut("", { [field]: { [name]: value } });
  const map = entry[field];
  const moved = isMap(map) && typeof map[name] === "string" ? map[name] : VEIL;
  const veiled = secrets.reduce((text, secret) => text.replaceAll(`\${secret:${secret.name}}`, VEIL), moved);
  return withoutUrlPasswords(without(veiled, secretsOf({ launch })));
}

/** Blanks the credentials that are recognized in a longer text. References stay. */
export function withoutWritten(value: string): string {
  const written = credentialsIn(value).map((credential) => credential.written);
  return withoutUrlPasswords(
    without(
      value,
      written.filter((text) => !text.includes("${")),
    ),
  );
}

/** What stands beside a reference in the place of a credential, and a default, may be a part of one. */
function onlyReferences(value: string): string {
  const scheme = /^(Bearer|Basic|Token|ApiKey|Digest|DPoP) +/i.exec(value)?.[0] ?? "";
  const written = value.slice(scheme.length);
  const references = referencesIn(written).map(({ kind, name }) => `\${${kind === "secret" ? "secret:" : ""}${name}}`);
  const shown = references.join(VEIL);
  return scheme + (written === shown ? written : `${shown}${VEIL}`);
}

function without(text: string, secrets: readonly string[]): string {
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, VEIL), text);
}
