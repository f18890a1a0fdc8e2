import { existsSync } from "node:fs";
import { type EngineConfig, formatConfigProblem, parseConfig } from "@tacklebox/core";
import { ADVICE } from "../advice.ts";
import type { CommandEnvironment } from "../io.ts";
import { withoutVaultKeys } from "../vault-variables.ts";
import { describeMissingConfig, findConfig } from "./find-config.ts";
import { readConfigText } from "./read-text.ts";

export type LoadedConfig =
  | {
      readonly kind: "ok";
      readonly file: string;
      readonly config: EngineConfig;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "refused"; readonly messages: readonly string[] };

export async function loadConfig(explicit: string | undefined, environment: CommandEnvironment): Promise<LoadedConfig> {
  const found = findConfig(explicit, environment, existsSync);
  if (found.kind === "missing") return { kind: "refused", messages: [describeMissingConfig(found.lookedAt)] };
  const { file } = found;

  const read = await readConfigText(file);
  if (read.kind === "unreadable") return { kind: "refused", messages: [read.message] };

  const parsed = parseConfig(read.text, { file, env: withoutVaultKeys(environment.env), advice: ADVICE });
  if (parsed.kind === "invalid") return { kind: "refused", messages: parsed.problems.map(formatConfigProblem) };
  return {
    kind: "ok",
    file,
    config: { ...parsed.config, calls: parsed.calls },
    warnings: parsed.warnings.map(formatConfigProblem),
  };
}
