import type { SecretSummary } from "../domain/secret.ts";

export type VaultErrorCode =
  /** No key that opens the vault is at hand. Nothing was changed. */
  | "locked"
  /** The key at hand is not the one the secrets were sealed with. Nothing was changed. */
  | "wrong-key"
  /** A record was altered, moved or damaged. */
  | "corrupted"
  | "not-found"
  | "invalid-name";

/** Message texts never carry a value. */
export class VaultError extends Error {
  override readonly name = "VaultError";
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Keeps secrets: put, use, forget, never get. Everything rejects with VaultError only. */
export interface Vault {
  /** Seals a value under a name; a name that exists gets the new value. */
  put(name: string, value: string): Promise<void>;
  /** Lends the value for the length of `use` and returns what that returns. */
  use<T>(name: string, use: (value: string) => T | Promise<T>): Promise<T>;
  /** False when there was none. */
  forget(name: string): Promise<boolean>;
  /** By name. Needs no key. */
  list(): Promise<readonly SecretSummary[]>;
  /** Replaces the key; one that is cut off is completed by the next. Absent: this vault's key cannot be replaced. */
  rotate?(): Promise<{ readonly rewrapped: number }>;
}

/** Letters, digits, `_`, `-`, `.`, `:` and `/`, starting with a letter or digit; `:` and `/` are for names we make ourselves. */
export const SECRET_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,199}$/;
