import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { RESULT_CODE, resultCode } from "./store-error.ts";

const WAL_RETRY_MS = 10;

/** SQLite answers busy at once, whatever the timeout, when two processes switch a new file at the same time. */
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
