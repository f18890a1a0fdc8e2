import { type EngineConfig, parseConfig } from "@tacklebox/core";
import type { CommandEnvironment } from "../io.ts";
import { readAgreed } from "./agreement/read-agreed.ts";
import type { AskToAgree } from "./agreement/require-agreement.ts";
import { findConfig, findOwnConfig } from "./find-config.ts";
import { type LoadedConfig, loadConfig, loadFile, parseRead } from "./load-config.ts";

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
  readonly loaded: OptionalConfig;
  /** Why the config file in the current folder was left out, and what to do; empty if it was not. */
  readonly leftOut: readonly string[];
}

/** Like loadOptionalConfig, but goes on with the person's own config where nobody agreed to that of the folder. */
export async function loadWithoutUnagreed(
  explicit: string | undefined,
  environment: CommandEnvironment,
): Promise<WithoutUnagreed> {
  const found = findConfig(explicit, environment);
  if (found.kind === "missing") return { loaded: noConfig(), leftOut: [] };
  if (found.origin === "operator") return { loaded: await loadFile(found, environment, undefined), leftOut: [] };
  const read = await readAgreed(found, environment, undefined);
  if (read.kind === "ok") return { loaded: parseRead(found, read), leftOut: [] };
  const own = findOwnConfig(environment);
  return {
    loaded: own.kind === "found" ? await loadFile(own, environment, undefined) : noConfig(),
    leftOut: read.kind === "unagreed" ? read.messages : [read.message],
  };
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
