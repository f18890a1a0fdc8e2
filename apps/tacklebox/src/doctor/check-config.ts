import { howToAgree } from "../config-file/agreement/refusals.ts";
import { findConfig } from "../config-file/find-config.ts";
import { type LoadedConfig, loadConfig } from "../config-file/load-config.ts";
import type { CommandEnvironment } from "../io.ts";
import type { DoctorFinding } from "./finding.ts";

export interface CheckedConfig {
  readonly findings: readonly DoctorFinding[];
  /** Absent when there is no config, or it cannot be used. */
  readonly loaded?: LoadedConfig;
}

export async function checkConfig(
  explicit: string | undefined,
  environment: CommandEnvironment,
): Promise<CheckedConfig> {
  const found = findConfig(explicit, environment);
  if (found.kind === "missing") {
    const text = `There is no config file. Looked at: ${found.lookedAt.join(", ")}`;
    const next = "Create one: tacklebox add NAME --command PROGRAM, or tacklebox import claude.";
    return { findings: [{ about: "config", verdict: "warn", text, next }] };
  }
  const loaded = await loadConfig(explicit, environment, undefined);
  if (loaded.kind === "unagreed") {
    return {
      findings: [{ about: "config", verdict: "problem", text: loaded.cause, next: howToAgree(found.file) }],
    };
  }
  if (loaded.kind === "refused") {
    const next = `Correct ${found.file}, or name another file with --config.`;
    return { findings: loaded.messages.map((text) => ({ about: "config", verdict: "problem", text, next })) };
  }
  const { config, file, warnings } = loaded;
  const servers = config.servers.length === 1 ? "1 server" : `${config.servers.length} servers`;
  return {
    findings: [
      { about: "config", verdict: "ok", text: `${file}: ${servers}` },
      ...warnings.map((text): DoctorFinding => ({ about: "config", verdict: "warn", text })),
    ],
    loaded,
  };
}
