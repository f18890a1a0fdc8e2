/** WebCrypto's key, by a name that Node's types and the browser's both have. */
export type WebKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A key that wraps the keys of records. It never leaves memory: `key` cannot be exported. */
export interface VaultKey {
  readonly id: string;
  readonly key: WebKey;
}

/** The keys of one vault, wherever they are kept. Rejects with VaultError `locked` when that place must not be used. */
export interface KeyRing {
  /** The key that new secrets are sealed with; undefined when there is none yet. */
  current(): Promise<VaultKey | undefined>;
  byId(id: string): Promise<VaultKey | undefined>;
  /**
   * Makes a fresh key current and keeps the others. Resolves only when the key would survive a crash. A ring whose
   * key is chosen by somebody else cannot make one and answers with that key.
   */
  add(): Promise<VaultKey>;
  /** Forgets every key but the current one and those with these ids. */
  retireAllBut(ids: ReadonlySet<string>): Promise<void>;
}

/** Runs one piece of work at a time, over every vault that shares the same records. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>;

/** A lock for records that only this vault knows. */
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
