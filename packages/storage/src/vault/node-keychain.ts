import { createRequire } from "node:module";
import { VaultError } from "@tacklebox/core";
import { formatKeySet, type KeySet, type KeySetStore, parseKeySet } from "./node-key-set.ts";

/** One entry of the operating system's password store. Both methods reject if it cannot be used. */
export interface Keychain {
  get(): Promise<string | undefined>;
  set(text: string): Promise<void>;
}

/** Uses persistent stores only: without a Secret Service, Linux would keep the key in memory and lose it on reboot. */
export async function openKeychain(account: string): Promise<Keychain> {
  // Not an import: native code must stay outside of a bundle, where it finds its binary next to it.
  const { AsyncEntry }: typeof import("@napi-rs/keyring") = createRequire(import.meta.url)("@napi-rs/keyring");
  const entry = new AsyncEntry("tacklebox", account, { linux: { store: "secret-service" } });
  return {
    get: async () => (await entry.getPassword()) ?? undefined,
    set: (text) => entry.setPassword(text),
  };
}

/** An unusable keychain reads as an empty one, but writing to it fails. */
export function createKeychainStore(open: () => Promise<Keychain>): KeySetStore {
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
    throw new VaultError("locked", "The vault is locked: this system's keychain refused its key.");
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
