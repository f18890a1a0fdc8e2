import {
  createKnownSecrets,
  type Elicitor,
  type Engine,
  type Logger,
  type LogLevel,
  type Metrics,
  secretsOf,
  secretsOfModel,
  systemClock,
} from "@tacklebox/core";
import type { CommonOptions, Context } from "./command-options.ts";
import { dataFolder } from "./config-file/folders.ts";
import { loadConfig } from "./config-file/load-config.ts";
import { loadOptionalConfig, type OptionalConfig } from "./config-file/load-optional-config.ts";
import { collectWarnings, createLogger } from "./logs.ts";

export interface EngineSetting {
  readonly common: CommonOptions;
  readonly defaultLevel: LogLevel;
  readonly metrics: Metrics;
  /** Where log lines go. */
  readonly writeLog: (line: string) => void;
  /** Asks the person at this door on behalf of servers. */
  readonly elicitor?: Elicitor;
}

export interface OpenedEngine {
  readonly kind: "opened";
  /** Not started. */
  readonly engine: Engine;
  /** Everything that was warned about so far. */
  readonly warnings: readonly string[];
  /** Also strikes out what is learned while running, such as secrets from the vault. */
  readonly redact: (text: string) => string;
  readonly logger: Logger;
  /** Releases what the engine was given. To be called after engine.stop(). */
  close(): Promise<void>;
}

export interface OpenRefused {
  readonly kind: "refused";
  readonly messages: readonly string[];
}

export type ConfiguredEngine = OpenRefused | (OpenedEngine & { readonly configFile: string });

/** The engine the config file describes, opened and not started: whoever asks decides when servers are. */
export async function openConfigured(context: Context, setting: EngineSetting): Promise<ConfiguredEngine> {
  const loaded = await loadConfig(setting.common.config, context.io);
  if (loaded.kind === "refused") return loaded;
  const opened = await openLoaded(context, setting, loaded);
  return opened.kind === "refused" ? opened : { ...opened, configFile: loaded.file };
}

/** As openConfigured, for those who can do without a config file: a warning says what is missed. */
export async function openEvenUnconfigured(
  context: Context,
  setting: EngineSetting,
): Promise<OpenedEngine | OpenRefused> {
  const loaded = await loadOptionalConfig(setting.common.config, context.io);
  if (loaded.kind === "refused") return loaded;
  return openLoaded(context, setting, loaded.file === undefined ? { ...loaded, warnings: [NO_TOOLS_YET] } : loaded);
}

const NO_TOOLS_YET =
  "No config file yet, so there are no tools. Add a server with `tacklebox add`, or bring over those of another program with `tacklebox import`.";

/** The same for a config that is loaded already, from a file or from none. */
export async function openLoaded(
  { io, openEngine }: Context,
  { common, defaultLevel, metrics, writeLog, elicitor }: EngineSetting,
  loaded: Exclude<OptionalConfig, { readonly kind: "refused" }>,
): Promise<OpenedEngine | OpenRefused> {
  const { config } = loaded;
  const knownSecrets = createKnownSecrets();
  knownSecrets.add([...config.servers.flatMap(secretsOf), ...(config.models ?? []).flatMap(secretsOfModel)]);
  const { redact } = knownSecrets;
  const warnings: string[] = [];
  const plainLogger = createLogger({
    format: common.logFormat ?? (io.stderrIsTerminal ? "text" : "json"),
    level: common.logLevel ?? defaultLevel,
    write: writeLog,
    redact,
    now: () => systemClock.now(),
  });
  const logger = collectWarnings(plainLogger, (text) => warnings.push(redact(text)));
  for (const warning of loaded.warnings) logger.log("warn", warning);

  const opened = await openEngine({
    config,
    dataFolder: dataFolder(io),
    env: io.env,
    logger,
    metrics,
    knownSecrets,
    ...(elicitor !== undefined && { elicitor }),
  });
  if (opened.kind === "refused") return { kind: "refused", messages: [opened.message] };
  return {
    kind: "opened",
    engine: opened.engine,
    warnings,
    redact,
    logger,
    close: () => opened.close(),
  };
}
