import { VaultError } from "@tacklebox/core";
import { toBase64Url } from "./base64url.ts";
import { importVaultKey, type VaultKey, type WebKey } from "./key-ring.ts";

export const KEY_VARIABLE = "TACKLEBOX_VAULT_KEY";
export const PREVIOUS_KEY_VARIABLE = "TACKLEBOX_VAULT_KEY_PREVIOUS";

/** Reads a variable's key. Rejects with VaultError `locked`, without quoting the key, if it is not random enough. */
export async function readEnvironmentKey(variable: string, text: string): Promise<VaultKey> {
  const bytes = decode(text.trim());
  if (bytes === undefined || bytes.length < 32)
    throw refused(variable, "it must be at least 32 random bytes in base64");
  if (looksChosen(text.trim(), bytes))
    throw refused(variable, "it looks like a sample or a password, not like random bytes");
  const source = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]);
  bytes.fill(0);
  // The variable has no id, so one is derived from the key; it reveals nothing about the key.
  const id = toBase64Url(await derive(source, "tacklebox vault key id", 6));
  return importVaultKey(id, await derive(source, "tacklebox vault key", 32));
}

async function derive(source: WebKey, purpose: string, count: number): Promise<Uint8Array<ArrayBuffer>> {
  const info = new TextEncoder().encode(purpose);
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, source, count * 8));
}

function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  return Uint8Array.from(Buffer.from(text, "base64"));
}

/**
 * Detects what 32 random bytes practically never are: few distinct bytes, even steps, readable text, one letter case.
 */
function looksChosen(text: string, bytes: Uint8Array): boolean {
  const steps = new Set(bytes.map((byte, index) => byte - (bytes[index - 1] ?? byte)).slice(1));
  if (new Set(bytes).size < 20 || steps.size < 4) return true;
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return true;
  return /^([a-z]+|[A-Z]+)=*$/.test(text);
}

function refused(variable: string, reason: string): VaultError {
  return new VaultError(
    "locked",
    `The vault is locked: ${variable} cannot be used: ${reason}. Make one with: openssl rand -base64 32`,
  );
}
