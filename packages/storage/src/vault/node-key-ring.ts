import { fromBase64Url } from "./base64url.ts";
import { importVaultKey, type KeyRing, type VaultKey } from "./key-ring.ts";
import { type KeySet, type KeySetStore, withFreshKey } from "./node-key-set.ts";

/** Keys from the environment, which are never created or stored here. */
export interface EnvironmentKeys {
  readonly current: VaultKey;
  readonly previous?: VaultKey;
}

export interface NodeKeyRingOptions {
  /** Resolves to undefined if there are none. */
  readonly environmentKeys: () => Promise<EnvironmentKeys | undefined>;
  readonly keychain: KeySetStore;
  readonly keyFile: KeySetStore;
}

/**
 * Looks for keys in the environment, then the keychain, then the key file. Any key can open; the first source seals.
 */
export function createNodeKeyRing({ environmentKeys, keychain, keyFile }: NodeKeyRingOptions): KeyRing {
  const imported = new Map<string, VaultKey>();

  return {
    async current() {
      const fromEnvironment = await environmentKeys();
      if (fromEnvironment !== undefined) return fromEnvironment.current;
      const held = await findSet();
      return held && keyIn(held.set, held.set.current);
    },
    async byId(id) {
      const { current, previous } = (await environmentKeys()) ?? {};
      for (const key of [current, previous]) if (key?.id === id) return key;
      const known = imported.get(id);
      if (known !== undefined) return known;
      return (await keyAt(keychain, id)) ?? (await keyAt(keyFile, id));
    },
    async add() {
      const fromEnvironment = await environmentKeys();
      if (fromEnvironment !== undefined) return fromEnvironment.current;
      const held = await findSet();
      const set = withFreshKey(held?.set);
      if (held !== undefined) await held.store.write(set);
      else await keychain.create(set).catch(() => keyFile.create(set));
      return keyFor(set, set.current);
    },
    async retireAllBut(ids) {
      // Stored keys from before are left for the person who set the environment keys to remove.
      if ((await environmentKeys()) !== undefined) return;
      for (const store of [keychain, keyFile]) {
        const set = await store.read();
        if (set === undefined) continue;
        const keys = set.keys.filter(({ id }) => id === set.current || ids.has(id));
        if (keys.length < set.keys.length) await store.write({ ...set, keys });
      }
    },
  };

  async function findSet(): Promise<{ store: KeySetStore; set: KeySet } | undefined> {
    for (const store of [keychain, keyFile]) {
      const set = await store.read();
      if (set !== undefined) return { store, set };
    }
    return undefined;
  }

  async function keyAt(store: KeySetStore, id: string): Promise<VaultKey | undefined> {
    const set = await store.read();
    return set && keyIn(set, id);
  }

  async function keyIn(set: KeySet, id: string): Promise<VaultKey | undefined> {
    const known = imported.get(id);
    if (known !== undefined) return known;
    const bytes = fromBase64Url(set.keys.find((key) => key.id === id)?.key ?? "");
    if (bytes?.length !== 32) return undefined;
    const key = await importVaultKey(id, bytes);
    bytes.fill(0);
    imported.set(id, key);
    return key;
  }

  async function keyFor(set: KeySet, id: string): Promise<VaultKey> {
    const key = await keyIn(set, id);
    if (key === undefined) throw new TypeError("a key that was just made is missing");
    return key;
  }
}
