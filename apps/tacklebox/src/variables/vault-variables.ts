import type { CommandEnvironment } from "../io.ts";
import { readVariables } from "./variable-names.ts";

/** Variables that hold keys of the vault. Only this process may see them. */
export const VAULT_VARIABLES: readonly string[] = ["TACKLEBOX_VAULT_KEY", "TACKLEBOX_VAULT_KEY_PREVIOUS"];

/** The environment that config files may refer to. A file that could name the vault's key could send it away (T07). */
export function withoutVaultKeys({
  env,
  platform,
}: Pick<CommandEnvironment, "env" | "platform">): CommandEnvironment["env"] {
  const kept = Object.entries(readVariables(env, platform)).filter(([name]) => !VAULT_VARIABLES.includes(name));
  return readVariables(Object.fromEntries(kept), platform);
}
