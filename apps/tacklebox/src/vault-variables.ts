import type { CommandEnvironment } from "./io.ts";

/** What opens the vault: for this process alone. */
export const VAULT_VARIABLES: readonly string[] = ["TACKLEBOX_VAULT_KEY", "TACKLEBOX_VAULT_KEY_PREVIOUS"];

/** The environment as config files may know it: one that could name the vault's key could send it anywhere (T07). */
export function withoutVaultKeys(env: CommandEnvironment["env"]): CommandEnvironment["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !VAULT_VARIABLES.includes(name)));
}
