import type { SecretSummary } from "../domain/secret.ts";

export type VaultErrorCode =
  /** No key that opens the vault is available. Nothing was changed. */
  | "locked"
  /** The available key is not the one the secrets were sealed with. Nothing was changed. */
  | "wrong-key"
  /** A record was altered, moved or damaged. */
  | "corrupted"
  | "not-found"
  | "invalid-name";

/** Messages never contain a secret's value. */
export class VaultError extends Error {
  override readonly name = "VaultError";
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Keeps secrets: put, use, forget, but never get. All methods reject with VaultError only. */
export interface Vault {
  /** Seals a value under a name, replacing the value of an existing name. */
  put(name: string, value: string): Promise<void>;
  /** Passes the value to `use` and resolves to what that returns. The value must not be kept afterwards. */
  use<T>(name: string, use: (value: string) => T | Promise<T>): Promise<T>;
  /** Resolves to false if there is no such secret. */
  forget(name: string): Promise<boolean>;
  /** Lists secrets, sorted by name. Needs no key. */
  list(): Promise<readonly SecretSummary[]>;
  /**
   * Replaces the key; an interrupted rotation is completed by the next. Absent if this vault's key cannot be replaced.
   */
  rotate?(): Promise<{ readonly rewrapped: number }>;
}

/**
 * Letters, digits, `_`, `-`, `.`, `:` and `/`, starting with a letter or digit; `:` and `/` are for generated names.
 */
export const SECRET_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,199}$/;
