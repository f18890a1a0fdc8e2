import type { SecretRecord } from "../vault/secret-record.ts";

/** A sealed secret as a table row: one column per member. */
export interface SecretRow {
  readonly name: string;
  readonly v: number;
  readonly alg: string;
  readonly kek_id: string;
  readonly wrap_nonce: string;
  readonly wrapped_dek: string;
  readonly nonce: string;
  readonly ciphertext: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly rev: number;
}

export function toSecretRow(record: SecretRecord): SecretRow {
  return {
    name: record.name,
    v: record.v,
    alg: record.alg,
    kek_id: record.kekId,
    wrap_nonce: record.wrapNonce,
    wrapped_dek: record.wrappedDek,
    nonce: record.nonce,
    ciphertext: record.ciphertext,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    rev: record.rev,
  };
}

export function fromSecretRow(row: SecretRow): SecretRecord {
  return {
    v: row.v,
    alg: row.alg,
    name: row.name,
    kekId: row.kek_id,
    wrapNonce: row.wrap_nonce,
    wrappedDek: row.wrapped_dek,
    nonce: row.nonce,
    ciphertext: row.ciphertext,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    rev: row.rev,
  };
}
