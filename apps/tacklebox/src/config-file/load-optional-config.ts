import { existsSync } from "node:fs";
import { type EngineConfig, parseConfig } from "@tacklebox/core";
import type { CommandEnvironment } from "../io.ts";
import { findConfig } from "./find-config.ts";
import { type LoadedConfig, loadConfig } from "./load-config.ts";

export type OptionalConfig =
  | Extract<LoadedConfig, { readonly kind: "refused" }>
  | {
      readonly kind: "ok";
      /** Undefined when there is no config file. */
      readonly file: string | undefined;
      readonly config: EngineConfig;
      readonly warnings: readonly string[];
    };

/** Like loadConfig, for commands that also work without a config file. A file named explicitly must exist. */
export async function loadOptionalConfig(
  explicit: string | undefined,
  environment: CommandEnvironment,
): Promise<OptionalConfig> {
  if (findConfig(explicit, environment, existsSync).kind === "found") return loadConfig(explicit, environment);
  return { kind: "ok", file: undefined, config: emptyConfig(), warnings: [] };
}

/** The config of a file without servers. */
export function emptyConfig(): EngineConfig {
  const parsed = parseConfig("servers: {}", { file: "no config file", env: {} });
  if (parsed.kind === "invalid") throw new TypeError("a file without servers is valid");
  return { ...parsed.config, calls: parsed.calls };
}
