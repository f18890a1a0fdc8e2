/** WebCrypto's key type, derived so that it works with both Node's and the browser's types. */
export type WebKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A key that wraps the keys of records. `key` is not exportable. */
export interface VaultKey {
  readonly id: string;
  readonly key: WebKey;
}

/** The keys of one vault, wherever they are stored. Rejects with VaultError `locked` if that place must not be used. */
export interface KeyRing {
  /** The key that seals new secrets; undefined if there is none yet. */
  current(): Promise<VaultKey | undefined>;
  byId(id: string): Promise<VaultKey | undefined>;
  /**
   * Makes a fresh key current and keeps the others. Resolves once the key would survive a crash. A ring whose key comes
   * from outside makes none and resolves to that key.
   */
  add(): Promise<VaultKey>;
  /** Removes every key except the current one and those with these ids. */
  retireAllBut(ids: ReadonlySet<string>): Promise<void>;
}

/** Runs one piece of work at a time, across every vault that shares the same records. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>;

/** A lock for records that only this vault uses. */
export function createQueue(): Lock {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

export function importVaultKey(id: string, bytes: Uint8Array<ArrayBuffer>): Promise<VaultKey> {
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]).then((key) => ({ id, key }));
}
