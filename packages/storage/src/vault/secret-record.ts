/** One sealed secret as it is stored, here and in a browser. Byte fields are base64url. See docs/decisions/0004. */
export interface SecretRecord {
  readonly v: number;
  readonly alg: string;
  readonly name: string;
  /** Which key wraps the record's own key. */
  readonly kekId: string;
  readonly wrapNonce: string;
  readonly wrappedDek: string;
  readonly nonce: string;
  readonly ciphertext: string;
  /** ISO times. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Counts the values this name has had. */
  readonly rev: number;
}

/** Keeps records and understands none of them. */
export interface SecretRecords {
  load(name: string): Promise<SecretRecord | undefined>;
  /** By name. */
  list(): Promise<readonly SecretRecord[]>;
  /** Inserts the record or replaces the one with its name. Resolves only when it would survive a crash. */
  save(record: SecretRecord): Promise<void>;
  /** False when there was none. */
  remove(name: string): Promise<boolean>;
}

/** Proves that the keys at hand are the vault's. No secret can have this name: names start with a letter or digit. */
export const CHECK_NAME = "_check";
