import { SECRET_NAME, type Vault, VaultError } from "@tacklebox/core";
import { rewrap, seal } from "./envelope.ts";
import { createQueue, type KeyRing, type Lock } from "./key-ring.ts";
import { createRecordOpener } from "./record-opener.ts";
import { CHECK_NAME, isSecret, type SecretRecords } from "./secret-record.ts";

export interface VaultOptions {
  readonly records: SecretRecords;
  readonly keys: KeyRing;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Needed if others use the same records at the same time; readers take no lock. */
  readonly lock?: Lock;
}

export interface RotatingVault extends Vault {
  /**
   * Wraps every secret with a fresh key and removes the keys no longer needed. May be interrupted at any moment: every
   * secret stays readable, and the next rotation finishes the work.
   */
  rotate(): Promise<Rotation>;
}

export interface Rotation {
  /** How many secrets were moved to the new key. */
  readonly rewrapped: number;
}

const CHECK_VALUE = "tacklebox vault";

export function createVault({ records, keys, now, lock = createQueue() }: VaultOptions): RotatingVault {
  const opener = createRecordOpener(records, keys);
  return {
    async put(name, value) {
      checkName(name);
      await lock(() => putSecret(name, value));
    },
    async use(name, use) {
      checkName(name);
      const record = await records.load(name);
      if (record === undefined) throw new VaultError("not-found", `There is no secret '${name}'.`);
      const value = await opener.open(name, record);
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
    await opener.proveKeys();
    const existing = await records.load(name);
    // A damaged record may be replaced, but one of another key may not: that key could still turn up.
    if (existing !== undefined && (await keys.byId(existing.kekId)) === undefined) throw await opener.keyMissing(name);
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
    // An empty vault is tied to no key, so that a lost key does not lock it for ever.
    if (!(await records.list()).some(isSecret)) await records.remove(CHECK_NAME);
    return removed;
  }

  async function rotateKeys(): Promise<Rotation> {
    await opener.proveKeys();
    const before = await records.list();
    if (before.length === 0) return { rewrapped: 0 };
    const target = await keys.add();
    let rewrapped = 0;
    let failure: unknown;
    for (const record of before) {
      try {
        if (record.kekId === target.id) continue;
        await records.save(await rewrap(record, await opener.keyOf(record), target));
        if (isSecret(record)) rewrapped += 1;
      } catch (error) {
        if (!(error instanceof VaultError)) throw error;
        failure ??= error;
      }
    }
    // Removing a key is final, so the stored records, read again, decide which are still needed.
    await keys.retireAllBut(new Set((await records.list()).map(({ kekId }) => kekId)));
    if (failure !== undefined) throw failure;
    return { rewrapped };
  }
}

function checkName(name: string): void {
  if (SECRET_NAME.test(name)) return;
  throw new VaultError(
    "invalid-name",
    "A secret's name has 1 to 200 letters, digits and _ - . : /, and starts with a letter or digit.",
  );
}
