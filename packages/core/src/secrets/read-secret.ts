import type { Advice } from "../ports/advice.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import { type Vault, VaultError } from "../ports/vault.ts";
import { whyNotRedacted } from "./secret-length.ts";
import { namesIn, replaceNames } from "./secret-reference.ts";

export interface SecretDeps {
  readonly vault: Vault;
  /** Values that were read are added here, so that they are redacted everywhere. */
  readonly knownSecrets: Pick<KnownSecrets, "add">;
  readonly advice?: Pick<Advice, "storeSecret"> | undefined;
  /** Told of a secret that cannot be redacted. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** Returns a secret's value. Rejects as the vault does; the error for a missing secret says how to store it. */
export async function readSecret(name: string, deps: SecretDeps): Promise<string> {
  const { vault, knownSecrets, advice } = deps;
  try {
    const value = await vault.use(name, (lent) => lent);
    knownSecrets.add([value], `the secret ${name} of the vault`);
    const why = whyNotRedacted(value);
    if (why !== undefined) deps.warn?.(`The secret '${name}' is ${why}`);
    return value;
  } catch (error) {
    if (!(error instanceof VaultError) || error.code !== "not-found") throw error;
    const next = advice === undefined ? "" : `. Store it with: ${advice.storeSecret(name)}`;
    throw new VaultError("not-found", `there is no secret '${name}'${next}`);
  }
}

/** Replaces `${secret:NAME}` in a text with the vault's values. */
export async function fillSecretText(text: string, deps: SecretDeps): Promise<string> {
  const values = new Map<string, string>();
  for (const name of namesIn(text)) values.set(name, await readSecret(name, deps));
  return replaceNames(text, values);
}
