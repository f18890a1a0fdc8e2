import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { CallStatus, Era } from "@tacklebox/core";
import {
  type CompiledQuery,
  DummyDriver,
  type Generated,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";

/** Column types hold because the tables are STRICT; unions because of CHECK. What JSON columns hold is parsed. */
export interface Tables {
  readonly calls: CallsTable;
  readonly inventory_servers: InventoryServersTable;
  readonly inventory_tools: InventoryToolsTable;
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
}

interface InventoryServersTable {
  readonly scope: string;
  readonly server: string;
  readonly era: Era | null;
  readonly saved_at: string;
}

interface InventoryToolsTable {
  readonly scope: string;
  readonly server: string;
  readonly position: number;
  readonly name: string;
  readonly fingerprint: string;
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

/**
 * Builds queries and never runs them: an asynchronous Kysely transaction on the shared connection would let the
 * call log's commits slip in between its statements.
 */
export const queries = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export function readRows<Row>(database: DatabaseSyncInstance, query: CompiledQuery<Row>): readonly Row[] {
  return database.prepare(query.sql).all(...query.parameters);
}

// Not `all`, whose errors lack the result code that tells a full disk from a locked file.
export function runStatement(database: DatabaseSyncInstance, query: CompiledQuery): void {
  database.prepare(query.sql).run(...query.parameters);
}
