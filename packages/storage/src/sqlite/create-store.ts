import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { MemberDeps, Store } from "@tacklebox/core";
import type { SecretRecords } from "../vault/secret-record.ts";
import { createCallLog } from "./call-log.ts";
import { createCallWriter } from "./call-writer.ts";
import { createCallChain } from "./chain/call-chain.ts";
import { createDefinitions } from "./definitions.ts";
import { createEmbeddings } from "./embeddings.ts";
import { explainReadErrors } from "./explain-read-errors.ts";
import { createGpts } from "./gpts.ts";
import { createGrants } from "./grants.ts";
import { createInventory } from "./inventory.ts";
import { createNames } from "./names.ts";
import { createSecretRecords } from "./secret-records.ts";
import { createSessions } from "./sessions.ts";
import { createGroupWriter, type GroupWriterOptions } from "./writing/group-writer.ts";
import { createMemberRows } from "./writing/members.ts";
import { createOtherWriters } from "./writing/other-writers.ts";

/** Core's store, plus the vault's sealed records, which only a vault can open. */
export interface SqliteStore extends Store {
  readonly secrets: SecretRecords;
}

/** Creates a store on a database that is open and migrated. The store owns the connection from then on. */
export function createStore(database: DatabaseSyncInstance, options: MemberDeps & GroupWriterOptions): SqliteStore {
  const rows = createMemberRows(database, options.file, options);
  const chain = createCallChain(database, options.now);
  const others = createOtherWriters(database);
  const admission = {
    admit() {
      const isAsLeft = !others.haveWritten();
      chain.begin(isAsLeft);
      rows.admit(isAsLeft);
    },
    finish: () => chain.finish(),
    committed() {
      others.committed();
      chain.committed();
      rows.committed();
    },
  };
  const writer = createGroupWriter(database, admission, options);
  const explained = <T extends object>(part: T): T => explainReadErrors(part, options.file);
  const calls = createCallLog(database, createCallWriter(database, writer, chain), writer, {
    ...options,
    members: rows,
    chain,
  });
  return {
    members: {
      id: options.member.id,
      async beat() {
        if (rows.hasJoined()) await writer.write(rows.beat);
      },
    },
    // Saves explain their errors themselves, and another promise around each would cost time.
    calls: { ...explained(calls), save: calls.save },
    inventory: explained(createInventory(database, writer, options)),
    names: explained(createNames(database, writer)),
    definitions: explained(createDefinitions(database, writer)),
    sessions: explained(createSessions(database, writer)),
    grants: explained(createGrants(database, writer)),
    gpts: explained(createGpts(database, writer)),
    embeddings: explained(createEmbeddings(database, writer)),
    secrets: explained(createSecretRecords(database, writer)),
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
