import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { MemberDeps, Store } from "@tacklebox/core";
import type { SecretRecords } from "../vault/secret-record.ts";
import { createCallLog } from "./call-log.ts";
import { createCallWriter } from "./call-writer.ts";
import { createDefinitions } from "./definitions.ts";
import { createEmbeddings } from "./embeddings.ts";
import { createGpts } from "./gpts.ts";
import { createGrants } from "./grants.ts";
import { createGroupWriter, type GroupWriterOptions } from "./group-writer.ts";
import { createInventory } from "./inventory.ts";
import { createMemberRows } from "./members.ts";
import { createNames } from "./names.ts";
import { createSecretRecords } from "./secret-records.ts";
import { createSessions } from "./sessions.ts";

/** Core's store, plus the vault's sealed records, which only a vault can open. */
export interface SqliteStore extends Store {
  readonly secrets: SecretRecords;
}

/** Creates a store on a database that is open and migrated. The store owns the connection from then on. */
export function createStore(database: DatabaseSyncInstance, options: MemberDeps & GroupWriterOptions): SqliteStore {
  const rows = createMemberRows(database, options.file, options);
  const writer = createGroupWriter(database, rows, options);
  return {
    members: {
      id: options.member.id,
      async beat() {
        if (rows.hasJoined()) await writer.write(rows.beat);
      },
    },
    calls: createCallLog(database, createCallWriter(database, writer), writer, { ...options, members: rows }),
    inventory: createInventory(database, writer, options),
    names: createNames(database, writer),
    definitions: createDefinitions(database, writer),
    sessions: createSessions(database, writer),
    grants: createGrants(database, writer),
    gpts: createGpts(database, writer),
    embeddings: createEmbeddings(database, writer),
    secrets: createSecretRecords(database, writer),
    async close() {
      if (!database.isOpen) return;
      writer.close();
      rows.leave();
      checkpoint(database);
      database.close();
    },
  };
}

/**
 * Writes the WAL back into the database file. Closing alone would not: the connection really ends only when the garbage
 * collector has freed its last statement. Does not wait for other processes, since the WAL keeps what they still need.
 */
function checkpoint(database: DatabaseSyncInstance): void {
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The file is read-only or the disk is full. Nothing is lost: the next process to open the file reads the WAL too.
  }
}
