import { join } from "node:path";
import { KEY_VARIABLE, PREVIOUS_KEY_VARIABLE, readEnvironmentKey } from "./node-environment-key.ts";
import { createKeyFile } from "./node-key-file.ts";
import { createNodeKeyRing, type EnvironmentKeys } from "./node-key-ring.ts";
import { createKeychainStore, type Keychain, openKeychain } from "./node-keychain.ts";
import { createFileLock } from "./node-lock.ts";
import type { SecretRecords } from "./secret-record.ts";
import { createVault, type RotatingVault } from "./vault.ts";

export type { Keychain } from "./node-keychain.ts";
export type { SecretRecords } from "./secret-record.ts";
export type { RotatingVault, Rotation } from "./vault.ts";

export interface NodeVaultOptions {
  /** Must exist. Holds the key file if the system has no keychain. */
  readonly dataFolder: string;
  readonly records: SecretRecords;
  /** TACKLEBOX_VAULT_KEY and TACKLEBOX_VAULT_KEY_PREVIOUS are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Defaults to the system's keychain. */
  readonly keychain?: () => Promise<Keychain>;
}

/** Opens the vault of a data folder. Reads no key and touches no file until a secret is put or used. */
export function openNodeVault(options: NodeVaultOptions): RotatingVault {
  const { dataFolder, records, env, now, keychain = () => openKeychain(`vault of ${dataFolder}`) } = options;
  let fromEnvironment: Promise<EnvironmentKeys | undefined> | undefined;
  const keys = createNodeKeyRing({
    environmentKeys: () => {
      fromEnvironment ??= readEnvironmentKeys(env);
      return fromEnvironment;
    },
    keychain: createKeychainStore(keychain),
    keyFile: createKeyFile({ file: join(dataFolder, "vault.key"), userId: process.getuid?.() }),
  });
  return createVault({ records, keys, now, lock: createFileLock(join(dataFolder, "vault.lock")) });
}

async function readEnvironmentKeys(env: NodeVaultOptions["env"]): Promise<EnvironmentKeys | undefined> {
  const current = env[KEY_VARIABLE];
  const previous = env[PREVIOUS_KEY_VARIABLE];
  if (!current) return undefined;
  return {
    current: await readEnvironmentKey(KEY_VARIABLE, current),
    ...(previous ? { previous: await readEnvironmentKey(PREVIOUS_KEY_VARIABLE, previous) } : {}),
  };
}
