import { ConnectionError } from "../domain/connection.ts";
import type { Launch } from "../domain/launch.ts";
import type { Advice } from "../ports/advice.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import { type Vault, VaultError } from "../ports/vault.ts";
import { readSecret, type SecretDeps } from "./read-secret.ts";
import { fillSecretNames, secretNamesIn } from "./secret-reference.ts";

/**
 * Replaces `${secret:NAME}` with the vault's values. This happens at the last moment, for one connection: definitions,
 * fingerprints, records and pages only ever hold the reference.
 */
export async function fillSecrets(
  launch: Launch,
  vault: Vault | undefined,
  knownSecrets: Pick<KnownSecrets, "add">,
  advice?: Pick<Advice, "storeSecret">,
  warn?: (text: string) => void,
): Promise<Launch> {
  const names = secretNamesIn(launch);
  if (names.length === 0) return launch;
  if (vault === undefined) throw cannotFill(`\${secret:${names[0]}} cannot be filled: no vault is open here`);
  const values = new Map<string, string>();
  for (const name of names) values.set(name, await readForConnection(name, { vault, knownSecrets, advice, warn }));
  return fillSecretNames(launch, values);
}

async function readForConnection(name: string, deps: SecretDeps): Promise<string> {
  try {
    return await readSecret(name, deps);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    throw cannotFill(
      error.code === "not-found" ? error.message : `the secret '${name}' cannot be used: ${error.message}`,
    );
  }
}

function cannotFill(text: string): ConnectionError {
  return new ConnectionError("misconfigured", text, { retryable: false });
}
