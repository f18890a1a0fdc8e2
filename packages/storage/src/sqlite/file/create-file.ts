import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { createFolder } from "../../folders/index.ts";

/**
 * Creates a database with what `fill` writes, whole or not at all: a process that is killed meanwhile leaves no empty or
 * half a file, so that such a file is known to be damaged. If another process is faster, its file stays.
 */
export async function createFile(file: string, fill: (database: DatabaseSyncInstance) => void): Promise<void> {
  await createFolder(dirname(file));
  const draft = `${file}.${crypto.randomUUID()}.new`;
  try {
    await createEmpty(draft);
    writeDraft(draft, fill);
    await syncPath(draft);
    await publish(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(file));
}

async function createEmpty(file: string): Promise<void> {
  const created = await open(file, "wx", 0o600);
  try {
    // Whatever the umask took away.
    await created.chmod(0o600);
  } finally {
    await created.close();
  }
}

/** Copied from memory, because a connection to the draft itself might end only when its statements are collected. */
function writeDraft(draft: string, fill: (database: DatabaseSyncInstance) => void): void {
  const database = new DatabaseSync(":memory:");
  try {
    fill(database);
    database.prepare("VACUUM INTO ?").run(draft);
  } finally {
    database.close();
  }
}

async function publish(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    // Some file systems have no second names for a file.
    await rename(draft, file);
  }
}

export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Otherwise a new name might not survive power loss. Windows has no folder handles, and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== "win32") await syncPath(folder);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
