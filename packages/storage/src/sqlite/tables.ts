import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { CallStatus } from "@tacklebox/core";
import type { CompiledQuery, Generated } from "kysely";

/** What queries are built on. Column types hold because the tables are STRICT; unions because of CHECK. What JSON columns hold is parsed. */
export interface Tables {
  readonly calls: CallsTable;
  readonly secrets: SecretsTable;
}

export interface CallsTable {
  /** The order of first saves. */
  readonly seq: Generated<number>;
  readonly id: string;
  readonly scope: string;
  readonly server: string;
  readonly tool_name: string;
  readonly shown_name: string;
  readonly arguments: string;
  readonly status: CallStatus;
  readonly ending: string | null;
  readonly error: string | null;
  readonly result: string | null;
  readonly decision: string | null;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly owner: string;
  readonly late_answer_at: string | null;
  readonly caller: string | null;
  readonly person_ms: number | null;
  readonly slot_ms: number | null;
  readonly run_ms: number | null;
  readonly sent: number | null;
}

/** Sealed secrets, one column per field of a SecretRecord. */
export interface SecretsTable {
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

export function readRows<Row>(database: DatabaseSyncInstance, query: CompiledQuery<Row>): readonly Row[] {
  return database.prepare(query.sql).all(...query.parameters);
}

// Not `all`, whose errors lack the result code that tells a full disk from a locked file.
export function runStatement(database: DatabaseSyncInstance, query: CompiledQuery): void {
  database.prepare(query.sql).run(...query.parameters);
}
