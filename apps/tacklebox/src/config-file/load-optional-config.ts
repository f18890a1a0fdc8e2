import { existsSync } from "node:fs";
import { type EngineConfig, parseConfig } from "@tacklebox/core";
import type { CommandEnvironment } from "../io.ts";
import { findConfig } from "./find-config.ts";
import { type LoadedConfig, loadConfig } from "./load-config.ts";

export type OptionalConfig =
  | Extract<LoadedConfig, { readonly kind: "refused" }>
  | {
      readonly kind: "ok";
      /** Undefined when there is none. */
      readonly file: string | undefined;
      readonly config: EngineConfig;
      readonly warnings: readonly string[];
    };

/** As loadConfig, for commands that also work without a config file. One that is named must be there. */
export async function loadOptionalConfig(
  explicit: string | undefined,
  surroundings: CommandEnvironment,
): Promise<OptionalConfig> {
  if (findConfig(explicit, surroundings, existsSync).kind === "found") return loadConfig(explicit, surroundings);
  return { kind: "ok", file: undefined, config: emptyConfig(), warnings: [] };
}

/** What an empty file would say. */
export function emptyConfig(): EngineConfig {
  const parsed = parseConfig("servers: {}", { file: "no config file", env: {} });
  if (parsed.kind === "invalid") throw new TypeError("a file without servers is valid");
  return { ...parsed.config, calls: parsed.calls };
}
