import { existsSync } from "node:fs";
import type { ChainReport, Repair } from "@tacklebox/storage/sqlite/upkeep";
import { callLogFile } from "./open-store.ts";
import { createProcessTable, readSystemFacts } from "./process-table.ts";

/** Whether anything has been stored. A file that is gone while its WAL is still there is damage, not a new store. */
export async function hasStore(dataFolder: string): Promise<boolean> {
  const file = callLogFile(dataFolder);
  if (existsSync(file)) return true;
  const { hasDatabase } = await import("@tacklebox/storage/sqlite");
  return hasDatabase(file);
}

/** Compares the call log with its chain of hashes. Rejects with StoreError. */
export async function verifyCalls(dataFolder: string, expectedHash: string | undefined): Promise<ChainReport> {
  const { verifyCallLog } = await import("@tacklebox/storage/sqlite/upkeep");
  return verifyCallLog(filesOf(dataFolder), expectedHash);
}

/** Whether the structure of the store is sound. Rejects with StoreError. */
export async function checkStore(dataFolder: string): Promise<"sound" | "too-large"> {
  const { checkDatabase } = await import("@tacklebox/storage/sqlite/upkeep");
  return checkDatabase(filesOf(dataFolder));
}

export async function repairStore(dataFolder: string): Promise<Repair> {
  const { repairDatabase } = await import("@tacklebox/storage/sqlite/upkeep");
  const processes = createProcessTable(readSystemFacts());
  return repairDatabase({ file: callLogFile(dataFolder), processes, now: Date.now });
}

function filesOf(dataFolder: string) {
  return { file: callLogFile(dataFolder), userId: process.getuid?.() };
}
