import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { prepareLazily } from "../prepare-lazily.ts";

/**
 * Notices when another connection, of this process or another one, has written to the file. As long as none has, what
 * this connection last wrote or read need not be read again.
 */
export interface OtherWriters {
  /**
   * Whether another connection may have written since `committed` was last called. Must be called in a transaction that
   * holds the write lock.
   */
  haveWritten(): boolean;
  /** Must be called once a transaction was committed that relied on the answer. */
  committed(): void;
}

/** Differs from its last value if another connection has committed since. This connection's own commits leave it. */
const VERSION = "PRAGMA data_version";

export function createOtherWriters(database: DatabaseSyncInstance): OtherWriters {
  const findVersion = prepareLazily(database, VERSION);
  /** When the last transaction was committed, and now. */
  let known: number | undefined;
  let found: number | undefined;
  return {
    haveWritten() {
      const row: { readonly data_version: number } = findVersion().get();
      found = row.data_version;
      return found !== known;
    },
    committed() {
      known = found;
    },
  };
}
