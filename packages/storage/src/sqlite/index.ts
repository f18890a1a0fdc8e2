import type { MemberDeps } from "@tacklebox/core";
import { createStore, type SqliteStore } from "./create-store.ts";
import type { OwnerOptions } from "./file/close-to-others.ts";
import { type DatabaseOptions, openDatabase } from "./open-database.ts";
import { createWalSync } from "./wal/wal-sync.ts";

export type { SqliteStore } from "./create-store.ts";
export { hasDatabase } from "./file/check-file.ts";

export interface SqliteStoreOptions extends MemberDeps, OwnerOptions, Pick<DatabaseOptions, "onFullDisk"> {
  /** Created, with its folders, if it does not exist; readable by this user only. */
  readonly file: string;
  /** FULL survives power loss; NORMAL is faster but survives only a crash of the process. */
  readonly synchronous?: "FULL" | "NORMAL";
}

const BUSY_TIMEOUT_MS = 5_000;

/** Opens a store. Other processes may use the same file. If it rejects, with StoreError, the file is unchanged. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { file, synchronous = "FULL" } = options;
  const database = await openDatabase({ ...options, synchronous, busyTimeoutMs: BUSY_TIMEOUT_MS });
  const walSync = synchronous === "FULL" ? createWalSync(database, { file }) : undefined;
  return createStore(database, { ...options, walSync, busyTimeoutMs: BUSY_TIMEOUT_MS });
}
