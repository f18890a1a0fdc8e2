import { createStore, type SqliteStore } from "./create-store.ts";
import { openDatabase } from "./open-database.ts";

export type { SqliteStore } from "./create-store.ts";

export interface SqliteStoreOptions {
  /** Created, with its folders, where there is none; readable by this user only. */
  readonly file: string;
  /** Names this process in the rows it writes. */
  readonly owner: string;
  readonly isOwnerAlive: (owner: string) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** FULL survives the loss of power; NORMAL survives only the end of the process, and is faster. */
  readonly synchronous?: "FULL" | "NORMAL";
}

const BUSY_TIMEOUT_MS = 5_000;

/** Safe beside other processes on the same file. Rejects with StoreError; the file is then as it was. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { file, synchronous = "FULL" } = options;
  const database = await openDatabase({ file, synchronous, busyTimeoutMs: BUSY_TIMEOUT_MS });
  return createStore(database, { ...options, busyTimeoutMs: BUSY_TIMEOUT_MS });
}
