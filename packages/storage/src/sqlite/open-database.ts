import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { StoreError } from "@tacklebox/core";
import { APPLICATION_ID, LATEST_VERSION, MIGRATIONS, migrate, readNumber, readVersion } from "./migrations.ts";
import { RESULT_CODE, resultCode } from "./store-error.ts";
import { switchToWal } from "./switch-to-wal.ts";

export interface DatabaseOptions {
  readonly file: string;
  readonly synchronous: "FULL" | "NORMAL";
  /** How long opening waits for a lock another process holds. */
  readonly busyTimeoutMs: number;
}

/** Another process that commits is waited for; one that keeps the lock for longer is waited for beside the event loop. */
const BUSY_MOMENT_MS = 3;

/** 16 MB of log: pages that change again and again are copied into the file less often than with SQLite's own 4 MB. */
const CHECKPOINT_AFTER_PAGES = 4_000;

/** Opens a file of ours at the latest version, creating it where there is none. Rejects with StoreError. */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseSyncInstance> {
  const { file, synchronous, busyTimeoutMs } = options;
  let database: DatabaseSyncInstance | undefined;
  try {
    await createPrivateFile(file);
    database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
    // Before anything that writes: a file that is not ours stays as it is.
    refuseForeignFile(database, file);
    await switchToWal(database, busyTimeoutMs);
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_AFTER_PAGES}`);
    migrate(database, MIGRATIONS);
    database.exec(`PRAGMA busy_timeout = ${BUSY_MOMENT_MS}`);
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    throw toOpenError(file, error);
  }
}

/** The call log holds what tools were told and answered, so nobody but the user may read it. */
async function createPrivateFile(file: string): Promise<void> {
  await createFolder(dirname(file));
  try {
    const created = await open(file, "wx", 0o600);
    await created.close();
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

/** Level by level: Node's recursive form never ends where a folder takes no entries and says ENOENT, as /proc does. */
async function createFolder(folder: string): Promise<void> {
  try {
    await createOneFolder(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (!hasCode(error, "ENOENT") || parent === folder) throw error;
    await createFolder(parent);
    await createOneFolder(folder);
  }
}

async function createOneFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function refuseForeignFile(database: DatabaseSyncInstance, file: string): void {
  // One read transaction, so that another process creating the tables just now cannot make the answers disagree.
  database.exec("BEGIN");
  const applicationId = readNumber(database, "PRAGMA application_id");
  const version = readVersion(database);
  const tables = readNumber(database, "SELECT count(*) FROM sqlite_schema");
  database.exec("COMMIT");

  if (applicationId !== APPLICATION_ID && tables > 0) {
    throw new StoreError(
      "another-program",
      `${file} is a database of another program. It was left as it is; choose another data directory.`,
    );
  }
  if (version > LATEST_VERSION) {
    throw new StoreError(
      "newer-version",
      `${file} was written by a newer Tacklebox (format ${version}, this one knows ${LATEST_VERSION}). ` +
        "It was left as it is; update Tacklebox, or choose another data directory.",
    );
  }
}

function toOpenError(file: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = resultCode(cause);
  if (code === RESULT_CODE.notADatabase || code === RESULT_CODE.corrupt) {
    return new StoreError(
      "not-a-database",
      `${file} is not a database, or it is damaged. It was left as it is; move it away, or choose another data directory.`,
      cause,
    );
  }
  if (code === RESULT_CODE.busy) {
    return new StoreError(
      "cannot-open",
      `Cannot open ${file}: another process keeps it locked. Try again, or end that process.`,
      cause,
    );
  }
  return new StoreError(
    "cannot-open",
    `Cannot open ${file}: check that its folder can be created and that this user may write there.`,
    cause,
  );
}
