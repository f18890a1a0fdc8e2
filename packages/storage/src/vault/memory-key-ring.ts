import { toBase64Url } from "./base64url.ts";
import { randomBytes } from "./envelope.ts";
import { importVaultKey, type KeyRing, type VaultKey } from "./key-ring.ts";

/** A ring that ends with the process. The last key given is the current one. */
export function createMemoryKeyRing(initial: readonly VaultKey[] = []): KeyRing {
  let held = [...initial];
  return {
    current: async () => held.at(-1),
    byId: async (id) => held.find((key) => key.id === id),
    async add() {
      const key = await importVaultKey(newKeyId(), randomBytes(32));
      held.push(key);
      return key;
    },
    async retireAllBut(ids) {
      const current = held.at(-1);
      held = held.filter((key) => key === current || ids.has(key.id));
    },
  };
}

export function newKeyId(): string {
  return toBase64Url(randomBytes(6));
}
