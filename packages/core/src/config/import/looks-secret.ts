import { type Launch, UNGOVERNED } from "../../domain/server.ts";
import { secretsOf } from "../../secrets/redact.ts";

// Asked of the redactor itself, so that what is moved into the vault is what would be struck out of every log.

export function isSecretVariable(name: string): boolean {
  return isStruckOut({ transport: "stdio", command: "", args: [], env: { [name]: SAMPLE } });
}

export function isSecretHeader(name: string): boolean {
  const headers = { [name]: SAMPLE };
  return isStruckOut({ transport: "http", url: "https://localhost", headers, authentication: { type: "none" } });
}

/** Tokens that tell by their beginning what they are, wherever they stand. */
export function isToken(text: string): boolean {
  return text.length >= 16 && TOKEN.test(text);
}

const TOKEN =
  /^(gh[pousr]_|github_pat_|glpat-|sk-|[spr]k_live_|xox[a-z]-|xapp-|AKIA|AIza|ya29\.|hf_|npm_|ntn_|figd_|lin_api_|dop_v1_|eyJ[\w-]{8,}\.)[^\s/]+$/;

const SAMPLE = "0123456789abcdef";

function isStruckOut(launch: Launch): boolean {
  return secretsOf({ ...UNGOVERNED, scope: "agent", key: "", name: "", launch }).length > 0;
}
