import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/**
 * Runs `work` in a transaction that holds the write lock from its start. `work` is synchronous on purpose: the
 * connection is shared, so nothing else may run between BEGIN and COMMIT.
 */
export function inTransaction<T>(database: DatabaseSyncInstance, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Makes `work` atomic within a transaction that it shares with other writes. */
export function inSavepoint(database: DatabaseSyncInstance, work: () => void): void {
  database.exec("SAVEPOINT work");
  try {
    work();
    database.exec("RELEASE work");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK TO work; RELEASE work");
    throw error;
  }
}
