import { type EngineConfig, parseConfig } from "@tacklebox/core";
import type { CommandEnvironment } from "../io.ts";
import type { Unagreed } from "./agreement/refusals.ts";
import type { AskToAgree } from "./agreement/require-agreement.ts";
import { findConfig, findOwnConfig } from "./find-config.ts";
import { type LoadedConfig, loadConfig, loadFile } from "./load-config.ts";

type LoadedFile = Extract<LoadedConfig, { readonly kind: "ok" }>;

export type OptionalConfig =
  | Exclude<LoadedConfig, LoadedFile>
  | LoadedFile
  | {
      readonly kind: "ok";
      /** There is no config file. */
      readonly file: undefined;
      readonly config: EngineConfig;
      readonly warnings: readonly string[];
    };

/** Like loadConfig, for commands that also work without a config file. A file named explicitly must exist. */
export async function loadOptionalConfig(
  explicit: string | undefined,
  environment: CommandEnvironment,
  ask: AskToAgree,
): Promise<OptionalConfig> {
  return findConfig(explicit, environment).kind === "found" ? loadConfig(explicit, environment, ask) : noConfig();
}

export interface WithoutUnagreed {
  readonly loaded: Exclude<OptionalConfig, Unagreed>;
  /** The file of the current folder that was left out, with why and what to do. */
  readonly leftOut: Unagreed | undefined;
}

/** Like loadOptionalConfig, but goes on with the person's own config where nobody agreed to that of the folder. */
export async function loadWithoutUnagreed(
  explicit: string | undefined,
  environment: CommandEnvironment,
): Promise<WithoutUnagreed> {
  const loaded = await loadOptionalConfig(explicit, environment, undefined);
  if (loaded.kind !== "unagreed") return { loaded, leftOut: undefined };
  const own = findOwnConfig(environment);
  const instead = own.kind === "found" ? await loadFile(own, environment, undefined) : noConfig();
  if (instead.kind === "unagreed") throw new TypeError("a file of the config folder needs no agreement");
  return { loaded: instead, leftOut: loaded };
}

function noConfig(): OptionalConfig & { readonly kind: "ok" } {
  return { kind: "ok", file: undefined, config: emptyConfig(), warnings: [] };
}

/** The config of a file without servers. */
export function emptyConfig(): EngineConfig {
  const parsed = parseConfig("servers: {}", { file: "no config file", env: {} });
  if (parsed.kind === "invalid") throw new TypeError("a file without servers is valid");
  return { ...parsed.config, calls: parsed.calls };
}
