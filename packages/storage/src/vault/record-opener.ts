import { VaultError } from "@tacklebox/core";
import { unseal } from "./envelope.ts";
import type { KeyRing, VaultKey } from "./key-ring.ts";
import { CHECK_NAME, isSecret, type SecretRecord, type SecretRecords } from "./secret-record.ts";

/** Opens stored records with the available keys. Rejects with VaultError, and says which secret's key is missing. */
export interface RecordOpener {
  open(name: string, record: SecretRecord): Promise<string>;
  keyOf(record: SecretRecord): Promise<VaultKey>;
  /**
   * Rejects unless the available keys open at least one stored record. One is enough, so that a damaged one blocks no
   * one.
   */
  proveKeys(): Promise<void>;
  keyMissing(name: string): Promise<VaultError>;
}

export function createRecordOpener(records: SecretRecords, keys: KeyRing): RecordOpener {
  async function open(name: string, record: SecretRecord): Promise<string> {
    let current = record;
    let kek = await keys.byId(current.kekId);
    if (kek === undefined) {
      // A rotation may have finished between reading the record and looking up its key.
      current = (await records.load(name)) ?? record;
      kek = await keys.byId(current.kekId);
    }
    if (kek === undefined) throw await keyMissing(name);
    // Uses the requested name, not the row's: a row moved to another name must not open.
    return unseal({ ...current, name }, kek);
  }

  async function keyOf(record: SecretRecord): Promise<VaultKey> {
    return (await keys.byId(record.kekId)) ?? Promise.reject(await keyMissing(record.name));
  }

  async function keyMissing(name: string): Promise<VaultError> {
    const subject = name === CHECK_NAME ? "the stored secrets" : `the secret '${name}'`;
    if ((await keys.current()) === undefined)
      return new VaultError("locked", `The vault is locked: the key for ${subject} is missing. Nothing was changed.`);
    return new VaultError(
      "wrong-key",
      `The key at hand is not the one of ${subject}. Nothing was changed. Bring the old key back, or remove the secrets and store them again.`,
    );
  }

  async function proveKeys(): Promise<void> {
    const check = await records.load(CHECK_NAME);
    const stored = [...(check === undefined ? [] : [check]), ...(await records.list()).filter(isSecret)];
    let first: unknown;
    for (const record of stored) {
      try {
        await open(record.name, record);
        return;
      } catch (error) {
        first ??= error;
      }
    }
    if (first !== undefined) throw first;
  }

  return { open, keyOf, proveKeys, keyMissing };
}
