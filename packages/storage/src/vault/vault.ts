import { SECRET_NAME, type Vault, VaultError } from "@tacklebox/core";
import { rewrap, seal, unseal } from "./envelope.ts";
import { createQueue, type KeyRing, type Lock, type VaultKey } from "./key-ring.ts";
import { CHECK_NAME, type SecretRecord, type SecretRecords } from "./secret-record.ts";

export interface VaultOptions {
  readonly records: SecretRecords;
  readonly keys: KeyRing;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Needed when others use the same records at the same time; readers take no lock. */
  readonly lock?: Lock;
}

export interface RotatingVault extends Vault {
  /**
   * Wraps every secret with a fresh key and forgets the keys that nothing needs any more. May be cut off at any
   * moment: every secret stays readable, and the next rotation completes.
   */
  rotate(): Promise<Rotation>;
}

export interface Rotation {
  /** How many secrets changed their key. */
  readonly rewrapped: number;
}

const CHECK_VALUE = "tacklebox vault";

export function createVault({ records, keys, now, lock = createQueue() }: VaultOptions): RotatingVault {
  return {
    async put(name, value) {
      checkName(name);
      await lock(() => putSecret(name, value));
    },
    async use(name, use) {
      checkName(name);
      const record = await records.load(name);
      if (record === undefined) throw new VaultError("not-found", `There is no secret '${name}'.`);
      const value = await openRecord(name, record);
      return use(value);
    },
    async forget(name) {
      checkName(name);
      return lock(() => forgetSecret(name));
    },
    async list() {
      const all = await records.list();
      return all.filter(isSecret).map(({ name, updatedAt }) => ({ name, updatedAt }));
    },
    rotate: () => lock(rotateKeys),
  };

  async function putSecret(name: string, value: string): Promise<void> {
    await proveKeys();
    const existing = await records.load(name);
    // Damaged records may be replaced, those of another key may not: that key could still turn up.
    if (existing !== undefined && (await keys.byId(existing.kekId)) === undefined) throw await keyMissing(name);
    const kek = (await keys.current()) ?? (await keys.add());
    const at = new Date(now()).toISOString();
    if ((await records.load(CHECK_NAME)) === undefined) {
      await records.save(await seal(CHECK_VALUE, { name: CHECK_NAME, rev: 1, createdAt: at, updatedAt: at }, kek));
    }
    const label = { name, rev: (existing?.rev ?? 0) + 1, createdAt: existing?.createdAt ?? at, updatedAt: at };
    await records.save(await seal(value, label, kek));
  }

  async function forgetSecret(name: string): Promise<boolean> {
    const removed = await records.remove(name);
    // An empty vault belongs to no key, so that a lost key does not lock it for ever.
    if (!(await records.list()).some(isSecret)) await records.remove(CHECK_NAME);
    return removed;
  }

  /** Rejects unless the keys at hand open what is stored. One record is enough, so that a damaged one locks nobody out. */
  async function proveKeys(): Promise<void> {
    const check = await records.load(CHECK_NAME);
    const stored = [...(check === undefined ? [] : [check]), ...(await records.list()).filter(isSecret)];
    let first: unknown;
    for (const record of stored) {
      try {
        await openRecord(record.name, record);
        return;
      } catch (error) {
        first ??= error;
      }
    }
    if (first !== undefined) throw first;
  }

  async function rotateKeys(): Promise<Rotation> {
    await proveKeys();
    const before = await records.list();
    if (before.length === 0) return { rewrapped: 0 };
    const target = await keys.add();
    let rewrapped = 0;
    let failure: unknown;
    for (const record of before) {
      try {
        if (record.kekId === target.id) continue;
        await records.save(await rewrap(record, await keyOf(record), target));
        if (isSecret(record)) rewrapped += 1;
      } catch (error) {
        if (!(error instanceof VaultError)) throw error;
        failure ??= error;
      }
    }
    // Read again instead of remembered: a key is gone for good, so only what is stored may decide.
    await keys.retireAllBut(new Set((await records.list()).map(({ kekId }) => kekId)));
    if (failure !== undefined) throw failure;
    return { rewrapped };
  }

  async function openRecord(name: string, record: SecretRecord): Promise<string> {
    let current = record;
    let kek = await keys.byId(current.kekId);
    if (kek === undefined) {
      // A rotation may have ended between reading the record and looking for its key.
      current = (await records.load(name)) ?? record;
      kek = await keys.byId(current.kekId);
    }
    if (kek === undefined) throw await keyMissing(name);
    // The name asked for, not the one in the row: a row moved to another name does not open.
    return unseal({ ...current, name }, kek);
  }

  async function keyOf(record: SecretRecord): Promise<VaultKey> {
    return (await keys.byId(record.kekId)) ?? Promise.reject(await keyMissing(record.name));
  }

  async function keyMissing(name: string): Promise<VaultError> {
    const subject = name === CHECK_NAME ? "the stored secrets" : `the secret '${name}'`;
    if ((await keys.current()) === undefined)
      return new VaultError("locked", `The vault is locked: the key of ${subject} is not here. Nothing was changed.`);
    return new VaultError(
      "wrong-key",
      `The key at hand is not the one of ${subject}. Nothing was changed. Bring the old key back, or remove the secrets and store them again.`,
    );
  }
}

function isSecret({ name }: SecretRecord): boolean {
  return name !== CHECK_NAME;
}

function checkName(name: string): void {
  if (SECRET_NAME.test(name)) return;
  throw new VaultError(
    "invalid-name",
    "A secret's name has 1 to 200 letters, digits and _ - . : /, and starts with a letter or digit.",
  );
}
