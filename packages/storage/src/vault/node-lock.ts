import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { VaultError } from "@tacklebox/core";
import type { Lock } from "./key-ring.ts";

const RETRY_MS = 20;
const MAX_WAIT_MS = 15_000;
const BUSY = 5;

/** A lock across processes. Uses SQLite's lock, because the system releases it when a process is killed. */
export function createFileLock(file: string): Lock {
  return async (work) => {
    await (await open(file, "a", 0o600)).close();
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      await take(database, file);
      return await work();
    } finally {
      if (database.isTransaction) database.exec("ROLLBACK");
      database.close();
    }
  };
}

async function take(database: InstanceType<typeof DatabaseSync>, file: string): Promise<void> {
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      database.exec("BEGIN EXCLUSIVE");
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    if (waited >= MAX_WAIT_MS)
      throw new VaultError("locked", `Another process is using the vault (${file}). Try again, or stop that process.`);
    await delay(RETRY_MS);
  }
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error && "errcode" in error && typeof error.errcode === "number" && (error.errcode & 0xff) === BUSY
  );
}
