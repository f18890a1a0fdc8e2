import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { StoreError } from "@tacklebox/core";
import { findFile } from "./file/check-file.ts";
import { closeToOthers, type OwnerOptions } from "./file/close-to-others.ts";
import { createFile } from "./file/create-file.ts";
import { APPLICATION_ID, LATEST_VERSION, MIGRATIONS, migrate, readNumber, readVersion } from "./migrations.ts";
import { damaged, isDamage, RESULT_CODE, resultCode } from "./store-error.ts";
import { switchToWal } from "./wal/switch-to-wal.ts";

export interface DatabaseOptions extends OwnerOptions {
  readonly file: string;
  readonly synchronous: "FULL" | "NORMAL";
  /** How long opening waits for a lock that another process holds. */
  readonly busyTimeoutMs: number;
  /**
   * What to do if the disk is too full for the small file that processes share while they use the database. `read-alone`
   * opens it without, which keeps all others out: only for commands that read and end.
   */
  readonly onFullDisk?: "refuse" | "read-alone" | undefined;
}

/** Blocks just long enough for another process to commit; GroupWriter waits for longer locks without blocking. */
const SHORT_BUSY_TIMEOUT_MS = 3;

/** 16 MB of WAL instead of SQLite's 4 MB, so that pages that keep changing are copied into the file less often. */
export const CHECKPOINT_AFTER_PAGES = 4_000;

/** Opens our database file and migrates it, or creates it if it does not exist. Rejects with StoreError. */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseSyncInstance> {
  const { file } = options;
  try {
    closeToOthers(file, options);
    if (findFile(file) === "missing") await createFile(file, (empty) => migrate(empty, MIGRATIONS));
    return await openShared(options);
  } catch (error) {
    if (options.onFullDisk === "read-alone" && isFullDisk(error)) return openAlone(options);
    throw toOpenError(file, error);
  }
}

async function openShared({ file, synchronous, busyTimeoutMs }: DatabaseOptions): Promise<DatabaseSyncInstance> {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    // Before anything is written: a file that is not ours must stay as it is.
    refuseForeignFile(database, file);
    await switchToWal(database, busyTimeoutMs);
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_AFTER_PAGES}`);
    migrate(database, MIGRATIONS);
    database.exec(`PRAGMA busy_timeout = ${SHORT_BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Keeps the index of the WAL in memory instead of a file, for which the whole database has to be locked. */
function openAlone({ file, busyTimeoutMs }: DatabaseOptions): DatabaseSyncInstance {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    refuseForeignFile(database, file);
    migrate(database, MIGRATIONS);
    return database;
  } catch (error) {
    database.close();
    throw toOpenError(file, error);
  }
}

function isFullDisk(error: unknown): boolean {
  const code = resultCode(error);
  return (code === RESULT_CODE.inputOutput || code === RESULT_CODE.full) && !isDamage(error);
}

function refuseForeignFile(database: DatabaseSyncInstance, file: string): void {
  // One read transaction, so that the answers agree even if another process is creating the tables. It reads before a
  // statement is prepared: if that fails, closing ends the connection, and its lock, at once.
  database.exec("BEGIN; PRAGMA schema_version");
  const applicationId = readNumber(database, "PRAGMA application_id");
  const version = readVersion(database);
  const tables = readNumber(database, "SELECT count(*) FROM sqlite_schema");
  database.exec("COMMIT");

  if (applicationId !== APPLICATION_ID && tables > 0) {
    throw new StoreError(
      "another-program",
      `${file} is a database of another program. It was not changed; choose another data directory.`,
    );
  }
  if (version > LATEST_VERSION) {
    throw new StoreError(
      "newer-version",
      `${file} was written by a newer Tacklebox (format ${version}, this one knows ${LATEST_VERSION}). ` +
        "It was not changed; update Tacklebox, or choose another data directory.",
    );
  }
}

function toOpenError(file: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  if (resultCode(cause) === RESULT_CODE.notADatabase) return damaged(file, "it is not a database", cause);
  if (isDamage(cause)) return damaged(file, undefined, cause);
  const code = resultCode(cause);
  if (code === RESULT_CODE.busy) {
    return new StoreError(
      "cannot-open",
      `Cannot open ${file}: another process has it locked. Try again, or stop that process.`,
      cause,
    );
  }
  if (isFullDisk(cause)) {
    return new StoreError(
      "cannot-open",
      `Cannot open ${file}: the disk could not be written. Check that it has space and works, then try again.`,
      cause,
    );
  }
  return new StoreError(
    "cannot-open",
    `Cannot open ${file}: check that its folder can be created and that this user may write there.`,
    cause,
  );
}
