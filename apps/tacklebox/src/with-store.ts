import { existsSync } from "node:fs";
import type { Store } from "@tacklebox/core";
import type { SqliteStore } from "@tacklebox/storage/sqlite";
import { dataFolder } from "./config-file/folders.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { callLogFile, openStore } from "./open-engine.ts";
import { printProblems } from "./output/print.ts";

/** Lends the store of the data folder, made now if need be. Starts no server and needs no config; says what is wrong with it. */
export async function lendStore(io: Io, use: (store: SqliteStore) => Promise<ExitCode>): Promise<ExitCode> {
  const opened = await openStore(dataFolder(io));
  if (opened.kind === "refused") {
    await printProblems(io, [opened.message]);
    return EXIT.couldNotStart;
  }
  const { StoreError } = await import("@tacklebox/storage/sqlite");
  try {
    return await use(opened.store);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    await printProblems(io, [error.message]);
    return EXIT.couldNotStart;
  } finally {
    await opened.store.close();
  }
}

/** As lendStore, but makes nothing: undefined when nothing was kept yet. */
export function withStore(io: Io, use: (store: Store | undefined) => Promise<ExitCode>): Promise<ExitCode> {
  return existsSync(callLogFile(dataFolder(io))) ? lendStore(io, use) : use(undefined);
}
