import { createRequire } from "node:module";
import { VaultError } from "@tacklebox/core";
import { formatKeySet, type KeySet, type KeySetPlace, parseKeySet } from "./node-key-set.ts";

/** The operating system's store of passwords, one entry of it. Both reject when it cannot be used. */
export interface Keychain {
  get(): Promise<string | undefined>;
  set(text: string): Promise<void>;
}

/** Lasting stores only: without a Secret Service, Linux would keep the key in memory and lose it at the next start. */
export async function openKeychain(account: string): Promise<Keychain> {
  // Not an import: native code stays outside of a bundle and finds its binary beside itself.
  const { AsyncEntry }: typeof import("@napi-rs/keyring") = createRequire(import.meta.url)("@napi-rs/keyring");
  const entry = new AsyncEntry("tacklebox", account, { linux: { store: "secret-service" } });
  return {
    get: async () => (await entry.getPassword()) ?? undefined,
    set: (text) => entry.setPassword(text),
  };
}

/** For reading, a keychain that cannot be used is the same as an empty one; for writing it is not. */
export function createKeychainPlace(open: () => Promise<Keychain>): KeySetPlace {
  return {
    async read() {
      const text = await open()
        .then((keychain) => keychain.get())
        .catch(() => undefined);
      return text === undefined ? undefined : parseKeySet(text);
    },
    create: (set) => keep(set, async (keychain) => (await keychain.get()) === undefined),
    write: (set) => keep(set, async () => true),
  };

  async function keep(set: KeySet, isFree: (keychain: Keychain) => Promise<boolean>): Promise<void> {
    if (await isKept(formatKeySet(set), isFree)) return;
    throw new VaultError("locked", "The vault is locked: the keychain of this system did not take its key.");
  }

  async function isKept(text: string, isFree: (keychain: Keychain) => Promise<boolean>): Promise<boolean> {
    try {
      const keychain = await open();
      if (!(await isFree(keychain))) return false;
      await keychain.set(text);
      return (await keychain.get()) === text;
    } catch {
      return false;
    }
  }
}
