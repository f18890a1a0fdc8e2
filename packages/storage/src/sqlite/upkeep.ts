import type { ChainReport } from "./chain/chain-report.ts";
import { verifyChain } from "./chain/verify-chain.ts";
import { quickCheck, sizeOfDatabase } from "./file/quick-check.ts";
import { type DatabaseOptions, openDatabase } from "./open-database.ts";
import { toReadError } from "./store-error.ts";

export type { Break, ChainReport } from "./chain/chain-report.ts";
export { type Repair, repairDatabase } from "./repair/repair-database.ts";

export type UpkeepOptions = Pick<DatabaseOptions, "file" | "userId" | "warn">;

const BUSY_TIMEOUT_MS = 5_000;

/** Takes some ten seconds if the disk is slow. */
const MAX_CHECKED_BYTES = 4 * 1024 ** 3;

/** Compares every ended call with the chain. Rejects with StoreError. `expectedHash`: see ChainReport.expected. */
export function verifyCallLog(options: UpkeepOptions, expectedHash?: string): Promise<ChainReport> {
  return withDatabase(options, (database) => verifyChain(database, expectedHash));
}

/** Rejects with StoreError `damaged` if the structure of the file is broken. Does not look at very large files. */
export function checkDatabase(options: UpkeepOptions): Promise<"sound" | "too-large"> {
  return withDatabase(options, (database) => {
    if (sizeOfDatabase(database) > MAX_CHECKED_BYTES) return "too-large";
    quickCheck(database, options.file);
    return "sound";
  });
}

async function withDatabase<T>(
  options: UpkeepOptions,
  use: (database: Awaited<ReturnType<typeof openDatabase>>) => T,
): Promise<T> {
  const database = await openDatabase({
    ...options,
    synchronous: "FULL",
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    onFullDisk: "read-alone",
  });
  try {
    return use(database);
  } catch (error) {
    throw toReadError(options.file, error);
  } finally {
    database.close();
  }
}
