import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";

/** Compiles a statement on first use and keeps it, since a command uses few of the store's statements. */
export function prepareLazily(database: DatabaseSyncInstance, sql: string): () => StatementSyncInstance {
  let statement: StatementSyncInstance | undefined;
  return () => {
    statement ??= database.prepare(sql);
    return statement;
  };
}
