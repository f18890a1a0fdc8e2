import type { Launch } from "../../domain/launch.ts";
import { secretsOf } from "../../secrets/find-secrets.ts";

// These ask the redactor itself, so that exactly what would be redacted in logs is moved into the vault.

export function isSecretVariable(name: string): boolean {
  return isRedacted({ transport: "stdio", command: "", args: [], env: { [name]: SAMPLE } });
}

export function isSecretHeader(name: string): boolean {
  const headers = { [name]: SAMPLE };
  return isRedacted({ transport: "http", url: "https://localhost", headers, authentication: { type: "none" } });
}

/** Recognizes tokens by their well-known prefixes, wherever they are. */
export function isToken(text: string): boolean {
  return text.length >= 16 && TOKEN.test(text);
}

const TOKEN =
  /^(gh[pousr]_|github_pat_|glpat-|sk-|[spr]k_live_|xox[a-z]-|xapp-|AKIA|AIza|ya29\.|hf_|npm_|ntn_|figd_|lin_api_|dop_v1_|eyJ[\w-]{8,}\.)[^\s/]+$/;

const SAMPLE = "0123456789abcdef";

function isRedacted(launch: Launch): boolean {
  return secretsOf({ launch }).length > 0;
}
