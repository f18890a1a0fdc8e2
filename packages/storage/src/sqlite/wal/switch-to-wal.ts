import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { RESULT_CODE, resultCode } from "../store-error.ts";

const WAL_RETRY_MS = 10;

/**
 * Retries, because SQLite fails with "busy" at once, whatever the timeout, if two processes switch a new file together.
 */
export async function switchToWal(database: DatabaseSyncInstance, busyTimeoutMs: number): Promise<void> {
  for (let waited = 0; ; waited += WAL_RETRY_MS) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (resultCode(error) !== RESULT_CODE.busy || waited >= busyTimeoutMs) throw error;
    }
    await delay(WAL_RETRY_MS);
  }
}
