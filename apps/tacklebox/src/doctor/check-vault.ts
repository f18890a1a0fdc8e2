import { existsSync } from "node:fs";
import { join } from "node:path";
import { VaultError } from "@tacklebox/core";
import type { SqliteStore } from "@tacklebox/storage/sqlite";
import type { Surroundings } from "../io.ts";
import { openVault } from "../open-vault.ts";
import type { Finding } from "./finding.ts";

/** Whether what is stored can be read. The keychain is not touched while nothing is stored: it might ask a person. */
export async function checkVault(
  folder: string,
  { secrets }: SqliteStore,
  env: Surroundings["env"],
): Promise<readonly Finding[]> {
  const vault = await openVault(folder, secrets, env);
  const stored = await vault.list();
  if (stored.length === 0) {
    const place = env.TACKLEBOX_VAULT_KEY
      ? "in TACKLEBOX_VAULT_KEY"
      : `kept in the keychain of this system, or in ${keyFileIn(folder)} where there is none`;
    return [{ about: "vault", verdict: "ok", text: `No secrets are stored. Their key would be ${place}.` }];
  }
  const problems: Finding[] = [];
  for (const { name } of stored) {
    try {
      await vault.use(name, () => undefined);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      const next = `If its key is lost, store it again: tacklebox secret set ${name}`;
      problems.push({ about: "vault", name, verdict: "problem", text: error.message, next });
    }
  }
  if (problems.length > 0) return problems;
  const count = stored.length === 1 ? "1 secret" : `${stored.length} secrets`;
  return [{ about: "vault", verdict: "ok", text: `${count} can be read; the key is in ${placeOfKey(folder, env)}` }];
}

function placeOfKey(folder: string, env: Surroundings["env"]): string {
  if (env.TACKLEBOX_VAULT_KEY) return "TACKLEBOX_VAULT_KEY";
  const file = keyFileIn(folder);
  return existsSync(file) ? file : "the keychain of this system";
}

function keyFileIn(folder: string): string {
  return join(folder, "vault.key");
}
