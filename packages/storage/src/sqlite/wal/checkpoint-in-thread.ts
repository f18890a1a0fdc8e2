import { createRequire } from "node:module";

/**
 * A text and not a file, so that it runs bundled or not: all it needs is SQLite, whose place it is given. It waits for
 * no reader or writer: what they keep from being copied is copied the next time.
 */
const CODE = `
  const { workerData } = require("node:worker_threads");
  const { DatabaseSync } = require(workerData.sqlite);
  const database = new DatabaseSync(workerData.file);
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  database.close();
`;

/**
 * Copies the WAL into the database file, in a thread. Resolves when that is over, also after a failure: the WAL is then
 * longer than it should be, but nothing is lost.
 */
export async function checkpointInThread(file: string): Promise<void> {
  // Loaded only now: it would cost every start a millisecond, and most disks never need it.
  const { Worker } = await import("node:worker_threads");
  const sqlite = createRequire(import.meta.url).resolve("@photostructure/sqlite");
  const options = { eval: true, workerData: { sqlite, file }, env: {}, argv: [], execArgv: [] };
  await new Promise<void>((resolve) => {
    const worker = new Worker(CODE, options);
    // Closing the store checkpoints too, so the process does not wait for this one.
    worker.unref();
    worker.on("error", () => undefined);
    worker.on("exit", () => resolve());
  }).catch(() => undefined);
}
