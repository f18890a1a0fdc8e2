import { VaultError } from "@tacklebox/core";
import type { RotatingVault } from "@tacklebox/storage/vault/node";
import { dataFolder } from "./config-file/folders.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { openStore } from "./open-engine.ts";
import { openVault } from "./open-vault.ts";
import { printProblems } from "./output/print.ts";

/** Lends the vault of the data folder to a command. Starts no server, and needs no config. */
export async function withVault(io: Io, use: (vault: RotatingVault) => Promise<ExitCode>): Promise<ExitCode> {
  const folder = dataFolder(io);
  const opened = await openStore(folder);
  if (opened.kind === "refused") {
    await printProblems(io, [opened.message]);
    return EXIT.couldNotStart;
  }
  const { StoreError } = await import("@tacklebox/storage/sqlite");
  try {
    return await use(await openVault(folder, opened.store.secrets, io.env));
  } catch (error) {
    if (!(error instanceof VaultError || error instanceof StoreError)) throw error;
    await printProblems(io, [error.message]);
    return error.code === "invalid-name" ? EXIT.usage : EXIT.couldNotStart;
  } finally {
    await opened.store.close();
  }
}
