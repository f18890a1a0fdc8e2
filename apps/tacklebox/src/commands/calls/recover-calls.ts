import { StoreError } from "@tacklebox/core";
import type { EngineWithRecords } from "../../engine/with-engine.ts";
import type { Io } from "../../io.ts";
import { printProblems } from "../../output/print.ts";

/**
 * Ends the open calls of killed processes, which would be shown as running until the next start. Says so if the log
 * cannot be written, because its disk is full: it can be read all the same.
 */
export async function recoverCalls(io: Io, { recover }: Pick<EngineWithRecords, "recover">): Promise<void> {
  try {
    await recover();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "write-failed") throw error;
    await printProblems(io, [`Calls of processes that were killed may still be shown as open. ${error.message}`]);
  }
}
