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

/** Inside a transaction that others write in as well: all of `work` is written, or nothing of it. */
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
