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

const SAMPLE = "0123456789abcdef";

function isRedacted(launch: Launch): boolean {
  return secretsOf({ launch }).length > 0;
}
