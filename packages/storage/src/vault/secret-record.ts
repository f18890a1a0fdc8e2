/** One sealed secret as it is stored, here and in a browser. Byte fields are base64url. See docs/decisions/0004. */
export interface SecretRecord {
  readonly v: number;
  readonly alg: string;
  readonly name: string;
  /** The id of the key that wraps the record's own key. */
  readonly kekId: string;
  readonly wrapNonce: string;
  readonly wrappedDek: string;
  readonly nonce: string;
  readonly ciphertext: string;
  /** ISO 8601, as is `updatedAt`. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** How many values this name has had. */
  readonly rev: number;
}

/** Stores sealed records without being able to open them. */
export interface SecretRecords {
  load(name: string): Promise<SecretRecord | undefined>;
  /** Sorted by name. */
  list(): Promise<readonly SecretRecord[]>;
  /** Inserts the record or replaces the one with its name. Resolves once it would survive a crash. */
  save(record: SecretRecord): Promise<void>;
  /** Resolves to false if there was none. */
  remove(name: string): Promise<boolean>;
}

/**
 * A record that shows whether a key is the vault's. No secret can have this name: names start with a letter or digit.
 */
export const CHECK_NAME = "_check";

export function isSecret({ name }: SecretRecord): boolean {
  return name !== CHECK_NAME;
}
