import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Store } from "@tacklebox/core";
import type { SecretRecords } from "../vault/secret-record.ts";
import { type CallLogOptions, createCallLog } from "./call-log.ts";
import { createCallWriter } from "./call-writer.ts";
import { createEmbeddings } from "./embeddings.ts";
import { createGpts } from "./gpts.ts";
import { createGrants } from "./grants.ts";
import { createGroupWriter, type GroupWriterOptions } from "./group-writer.ts";
import { createInventory } from "./inventory.ts";
import { createSecretRecords } from "./secret-records.ts";
import { createSessions } from "./sessions.ts";

/** The store of core, and beside it the sealed records of the vault, which only a vault can read. */
export interface SqliteStore extends Store {
  readonly secrets: SecretRecords;
}

/** A store on a database that is open and migrated. It owns the connection from here on. */
export function createStore(database: DatabaseSyncInstance, options: CallLogOptions & GroupWriterOptions): SqliteStore {
  const writer = createGroupWriter(database, options);
  return {
    calls: createCallLog(database, createCallWriter(database, writer), writer, options),
    inventory: createInventory(database, writer, options),
    sessions: createSessions(database, writer),
    grants: createGrants(database, writer),
    gpts: createGpts(database, writer),
    embeddings: createEmbeddings(database, writer),
    secrets: createSecretRecords(database, writer),
    async close() {
      if (!database.isOpen) return;
      writer.close();
      checkpoint(database);
      database.close();
    },
  };
}

/**
 * Closing alone would not bring the file up to date: the connection only ends when the garbage collector has taken
 * its last statement. Waits for nobody, because what others still need is safe in the log beside the file.
 */
function checkpoint(database: DatabaseSyncInstance): void {
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // On a read-only file or a full disk. Nothing is lost: whoever opens the file next reads the log as well.
  }
}
