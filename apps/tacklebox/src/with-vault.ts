import { VaultError } from "@tacklebox/core";
import type { RotatingVault } from "@tacklebox/storage/vault/node";
import { dataFolder } from "./config-file/folders.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { openVault } from "./open-vault.ts";
import { printProblems } from "./output/print.ts";
import { lendStore } from "./with-store.ts";

/** Lends the vault of the data folder to a command. Starts no server, and needs no config. */
export function withVault(io: Io, use: (vault: RotatingVault) => Promise<ExitCode>): Promise<ExitCode> {
  return lendStore(io, async (store) => {
    try {
      return await use(await openVault(dataFolder(io), store.secrets, io.env));
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      await printProblems(io, [error.message]);
      return error.code === "invalid-name" ? EXIT.usage : EXIT.couldNotStart;
    }
  });
}
