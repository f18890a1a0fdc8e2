import { isOverride } from "@tacklebox/core";
import type { CommandEnvironment } from "../../io.ts";
import { readVariables } from "../../variables/variable-names.ts";
import { withoutVaultKeys } from "../../variables/vault-variables.ts";

export interface Released {
  readonly env: CommandEnvironment["env"];
  /** The overrides that the file is not given. */
  readonly ignored: readonly string[];
}

/**
 * Gives a file the variables that were shown and agreed to, and no others. Overrides are the operator's word about
 * files the operator chose: with one of them, a file from elsewhere could be given a credential meant for another.
 */
export function releaseVariables(
  environment: Pick<CommandEnvironment, "env" | "platform">,
  shown: readonly string[],
): Released {
  const all = withoutVaultKeys(environment);
  const overrides = Object.keys(all).filter(isOverride);
  const withheld = readVariables(Object.fromEntries(overrides.map((name) => [name, ""])), environment.platform);
  const released = shown.filter((name) => Object.hasOwn(all, name) && !Object.hasOwn(withheld, name));
  return { env: Object.fromEntries(released.map((name) => [name, all[name]])), ignored: overrides };
}
