import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { CompiledQuery, Generated } from "kysely";
import type { CallRow } from "../rows/call-row.ts";
import type { SecretRow } from "../rows/secret-row.ts";

/**
 * The tables for the query builder. STRICT tables enforce the column types, CHECK the unions; JSON columns are parsed.
 */
export interface Tables {
  readonly calls: CallsTable;
  readonly members: MembersTable;
  readonly secrets: SecretRow;
}

export interface CallsTable extends CallRow {
  /** Numbers calls in the order they were first saved. */
  readonly seq: Generated<number>;
}

/** The processes that write to the file and are not known to have ended. */
export interface MembersTable {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly start: string | null;
  readonly beat_at: number;
}

export function readRows<Row>(database: DatabaseSyncInstance, query: CompiledQuery<Row>): readonly Row[] {
  return database.prepare(query.sql).all(...query.parameters);
}

// Not `all`, whose errors lack the result code that distinguishes a full disk from a locked file.
export function runStatement(database: DatabaseSyncInstance, query: CompiledQuery): void {
  database.prepare(query.sql).run(...query.parameters);
}
