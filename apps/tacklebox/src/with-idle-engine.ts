import {
  createKnownSecrets,
  type Engine,
  type EngineConfig,
  secretsOf,
  secretsOfModel,
  systemClock,
} from "@tacklebox/core";
import type { CommonOptions, Context } from "./command-options.ts";
import { dataFolder } from "./config-file/folders.ts";
import { loadOptionalConfig } from "./config-file/load-optional-config.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { watchSignals } from "./interruption.ts";
import { createLogger } from "./logs.ts";
import { noMetrics } from "./metrics.ts";
import { printProblems } from "./output/print.ts";

export interface IdleSession {
  readonly engine: Engine;
  /** What the config file says; nothing when there is none. */
  readonly config: EngineConfig;
  readonly configFile: string | undefined;
  readonly redact: (text: string) => string;
  readonly interrupted: AbortSignal;
}

/** Lends an engine that knows the config and the store and has started no server. Needs no config file. */
export async function withIdleEngine(
  { io, openEngine }: Context,
  common: CommonOptions,
  use: (session: IdleSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const loaded = await loadOptionalConfig(common.config, io);
  if (loaded.kind === "refused") return refuse(loaded.messages);
  const { config, file: configFile } = loaded;
  const knownSecrets = createKnownSecrets();
  knownSecrets.add([...config.servers.flatMap(secretsOf), ...(config.models ?? []).flatMap(secretsOfModel)]);
  const { redact } = knownSecrets;
  const logger = createLogger({
    format: common.logFormat ?? (io.stderrIsTerminal ? "text" : "json"),
    level: common.logLevel ?? "warn",
    write: (text) => void io.stderr.write(text),
    redact,
    now: () => systemClock.now(),
  });
  for (const warning of loaded.warnings) logger.log("warn", warning);

  const folder = dataFolder(io);
  const opened = await openEngine({
    config,
    dataFolder: folder,
    env: io.env,
    logger,
    metrics: noMetrics,
    knownSecrets,
  });
  if (opened.kind === "refused") return refuse([opened.message]);
  const { StoreError } = await import("@tacklebox/storage/sqlite");
  const { interrupted, terminated, dispose } = watchSignals(io.control);
  try {
    const ended = AbortSignal.any([interrupted, terminated]);
    return await use({ engine: opened.engine, config, configFile, redact, interrupted: ended });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return await refuse([error.message]);
  } finally {
    await opened.engine.stop(0);
    await opened.close();
    dispose();
  }

  async function refuse(messages: readonly string[]): Promise<ExitCode> {
    await printProblems(io, messages);
    return EXIT.couldNotStart;
  }
}
