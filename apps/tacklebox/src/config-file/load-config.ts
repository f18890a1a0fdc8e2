import { type EngineConfig, formatConfigProblem, parseConfig, secretsIn } from "@tacklebox/core";
import { ADVICE } from "../advice.ts";
import type { CommandEnvironment } from "../io.ts";
import { type AgreedText, readAgreed } from "./agreement/read-agreed.ts";
import { describeUnshown, type Unagreed } from "./agreement/refusals.ts";
import type { AskToAgree } from "./agreement/require-agreement.ts";
import { type ConfigOrigin, describeMissingConfig, type FoundFile, findConfig } from "./find-config.ts";

export type LoadedConfig =
  | {
      readonly kind: "ok";
      readonly file: string;
      readonly origin: ConfigOrigin;
      readonly config: EngineConfig;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "refused"; readonly messages: readonly string[] }
  | Unagreed;

export async function loadConfig(
  explicit: string | undefined,
  environment: CommandEnvironment,
  ask: AskToAgree,
): Promise<LoadedConfig> {
  const found = findConfig(explicit, environment);
  if (found.kind === "missing") return { kind: "refused", messages: [describeMissingConfig(found.lookedAt)] };
  return loadFile(found, environment, ask);
}

export async function loadFile(
  found: FoundFile,
  environment: CommandEnvironment,
  ask: AskToAgree,
): Promise<LoadedConfig> {
  const read = await readAgreed(found, environment, ask);
  if (read.kind === "unreadable") return { kind: "refused", messages: [read.message] };
  return read.kind === "unagreed" ? read : parseRead(found, read);
}

/** Parses what was read. Whoever has read a file must not read it again: it may have changed since it was looked up. */
export function parseRead({ file, origin }: FoundFile, read: AgreedText): LoadedConfig {
  const parsed = parseConfig(read.text, { file, env: read.env, advice: ADVICE });
  if (parsed.kind === "invalid") return { kind: "refused", messages: parsed.problems.map(formatConfigProblem) };
  const unshown =
    read.secrets === undefined ? [] : secretsIn(parsed.config).filter((name) => !read.secrets?.includes(name));
  if (unshown.length > 0) return { kind: "refused", messages: [describeUnshown(file, unshown)] };
  return {
    kind: "ok",
    file,
    origin,
    config: { ...parsed.config, calls: parsed.calls },
    warnings: [...read.warnings, ...parsed.warnings.map(formatConfigProblem)],
  };
}
