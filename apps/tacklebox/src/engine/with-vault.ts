import { StoreError, type Vault, VaultError } from "@tacklebox/core";
import { dataFolder } from "../config-file/folders.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { openStore } from "../open-store.ts";
import { openVault } from "../open-vault.ts";
import { printProblems } from "../output/print.ts";

/** Opens a vault for the duration of `use`. Prints what goes wrong and turns it into the exit code. */
export type WithVault = (io: Io, use: (vault: Vault) => Promise<ExitCode>) => Promise<ExitCode>;

/**
 * Opens the data folder's vault directly, for imports only: an import compares stored secrets with those in a file,
 * and the engine never returns a secret's value. Starts no server and needs no config.
 */
export const withVault: WithVault = async (io, use) => {
  const folder = dataFolder(io);
  const opened = await openStore(folder);
  if (opened.kind === "refused") return refuse(io, opened.message, EXIT.couldNotStart);
  try {
    return await use(await openVault(folder, opened.store.secrets, io.env));
  } catch (error) {
    if (error instanceof StoreError) return await refuse(io, error.message, EXIT.couldNotStart);
    if (!(error instanceof VaultError)) throw error;
    return await refuse(io, error.message, error.code === "invalid-name" ? EXIT.usage : EXIT.couldNotStart);
  } finally {
    await opened.store.close();
  }
};

async function refuse(io: Io, message: string, code: ExitCode): Promise<ExitCode> {
  await printProblems(io, [message]);
  return code;
}
