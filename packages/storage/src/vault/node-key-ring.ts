import { fromBase64Url } from "./base64url.ts";
import { importVaultKey, type KeyRing, type VaultKey } from "./key-ring.ts";
import { type KeySet, type KeySetPlace, withFreshKey } from "./node-key-set.ts";

/** Keys given by the environment: never made here, never kept. */
export interface GivenKeys {
  readonly current: VaultKey;
  readonly previous?: VaultKey;
}

export interface NodeKeyRingOptions {
  /** Resolves to undefined when nobody gave any. */
  readonly given: () => Promise<GivenKeys | undefined>;
  readonly keychain: KeySetPlace;
  readonly keyFile: KeySetPlace;
}

/** Given keys first, then the keychain's, then the key file's. Keys of all three can open; the first place seals. */
export function createNodeKeyRing({ given, keychain, keyFile }: NodeKeyRingOptions): KeyRing {
  const imported = new Map<string, VaultKey>();

  return {
    async current() {
      const fromOutside = await given();
      if (fromOutside !== undefined) return fromOutside.current;
      const held = await findSet();
      return held && keyIn(held.set, held.set.current);
    },
    async byId(id) {
      const { current, previous } = (await given()) ?? {};
      for (const key of [current, previous]) if (key?.id === id) return key;
      const known = imported.get(id);
      if (known !== undefined) return known;
      return (await keyAt(keychain, id)) ?? (await keyAt(keyFile, id));
    },
    async add() {
      const fromOutside = await given();
      if (fromOutside !== undefined) return fromOutside.current;
      const held = await findSet();
      const set = withFreshKey(held?.set);
      if (held !== undefined) await held.place.write(set);
      else await keychain.create(set).catch(() => keyFile.create(set));
      return keyFor(set, set.current);
    },
    async retireAllBut(ids) {
      // Keys that came before the given ones are left for whoever gave those to remove.
      if ((await given()) !== undefined) return;
      for (const place of [keychain, keyFile]) {
        const set = await place.read();
        if (set === undefined) continue;
        const keys = set.keys.filter(({ id }) => id === set.current || ids.has(id));
        if (keys.length < set.keys.length) await place.write({ ...set, keys });
      }
    },
  };

  async function findSet(): Promise<{ place: KeySetPlace; set: KeySet } | undefined> {
    for (const place of [keychain, keyFile]) {
      const set = await place.read();
      if (set !== undefined) return { place, set };
    }
    return undefined;
  }

  async function keyAt(place: KeySetPlace, id: string): Promise<VaultKey | undefined> {
    const set = await place.read();
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
