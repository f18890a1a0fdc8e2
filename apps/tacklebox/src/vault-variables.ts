import type { CommandEnvironment } from "./io.ts";

/** Variables that hold keys of the vault. Only this process may see them. */
export const VAULT_VARIABLES: readonly string[] = ["TACKLEBOX_VAULT_KEY", "TACKLEBOX_VAULT_KEY_PREVIOUS"];

/** The environment that config files may refer to. A file that could name the vault's key could send it away (T07). */
export function withoutVaultKeys(env: CommandEnvironment["env"]): CommandEnvironment["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !VAULT_VARIABLES.includes(name)));
}
