import { toBase64Url } from "./base64url.ts";
import { randomBytes } from "./envelope.ts";
import { importVaultKey, type KeyRing, type VaultKey } from "./key-ring.ts";

/** A key ring in memory only. The last initial key is the current one. */
export function createMemoryKeyRing(initial: readonly VaultKey[] = []): KeyRing {
  let keys = [...initial];
  return {
    current: async () => keys.at(-1),
    byId: async (id) => keys.find((key) => key.id === id),
    async add() {
      const key = await importVaultKey(newKeyId(), randomBytes(32));
      keys.push(key);
      return key;
    },
    async retireAllBut(ids) {
      const current = keys.at(-1);
      keys = keys.filter((key) => key === current || ids.has(key.id));
    },
  };
}

export function newKeyId(): string {
  return toBase64Url(randomBytes(6));
}
