import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/**
 * Runs `work` in one transaction that holds the write lock from its start. `work` is synchronous on purpose:
 * the connection is shared, so nothing else may run between BEGIN and COMMIT.
 */
export function inTransaction<T>(database: DatabaseSyncInstance, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    // SQLite has already rolled back by itself after some errors, such as a full disk.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
