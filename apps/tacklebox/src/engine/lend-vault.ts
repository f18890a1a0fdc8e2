import { StoreError, type Vault, VaultError } from "@tacklebox/core";
import { dataFolder } from "../config-file/folders.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { openStore } from "../open-engine.ts";
import { openVault } from "../open-vault.ts";
import { printProblems } from "../output/print.ts";

/** Lends a vault to `use`; what goes wrong with it is said and becomes the exit code. */
export type LendVault = (io: Io, use: (vault: Vault) => Promise<ExitCode>) => Promise<ExitCode>;

/**
 * Lends the vault of the data folder itself, for importing alone: whether a stored secret is the one a file brings is
 * found out where the values are, and no engine answers that. Starts no server, and needs no config.
 */
export const lendVault: LendVault = async (io, use) => {
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
