import { ConnectionError } from "../domain/connection.ts";
import type { Launch } from "../domain/server.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import { type Vault, VaultError } from "../ports/vault.ts";
import { fillSecretNames, secretNamesIn } from "./secret-reference.ts";

/**
 * Puts the vault's values where `${secret:NAME}` stands. Done at the last moment, for one connection: definitions,
 * fingerprints, records and pages only ever hold the reference.
 */
export async function fillSecrets(
  launch: Launch,
  vault: Vault | undefined,
  knownSecrets: Pick<KnownSecrets, "add">,
): Promise<Launch> {
  const names = secretNamesIn(launch);
  if (names.length === 0) return launch;
  if (vault === undefined) throw cannotFill(`\${secret:${names[0]}} cannot be filled: no vault is open here`);
  const values = new Map<string, string>();
  for (const name of names) values.set(name, await lentValue(name, vault));
  // From here on they are struck out of everything, whatever field they stand in.
  knownSecrets.add([...values.values()]);
  return fillSecretNames(launch, values);
}

async function lentValue(name: string, vault: Vault): Promise<string> {
  try {
    return await vault.use(name, (value) => value);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    if (error.code === "not-found")
      throw cannotFill(`there is no secret '${name}'. Store it with: tacklebox secret set ${name}`);
    throw cannotFill(`the secret '${name}' cannot be used: ${error.message}`);
  }
}

function cannotFill(text: string): ConnectionError {
  return new ConnectionError("misconfigured", text, { retryable: false });
}
