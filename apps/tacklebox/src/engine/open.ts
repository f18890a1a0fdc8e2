import {
  createKnownSecrets,
  type Engine,
  type EngineConfig,
  type EngineHost,
  type Logger,
  type LogLevel,
  type Metrics,
  type StartProblem,
  secretsOfConfig,
  systemClock,
} from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { dataFolder } from "../config-file/folders.ts";
import { loadConfig } from "../config-file/load-config.ts";
import { emptyConfig, loadOptionalConfig, type OptionalConfig } from "../config-file/load-optional-config.ts";
import { type ConfigWatch, watchConfig } from "../config-file/watch-config.ts";
import type { Io } from "../io.ts";
import { collectWarnings, createLogger } from "../logs.ts";
import type { OpenedHost } from "../open-engine.ts";

/**
 * What is done about the config file. `required`: refused without one. `optional`: goes on without one, and
 * `optional-hint` does with the warning that there are no tools. `none`: none is read, and no server is known. One that
 * is loaded already may be given instead.
 */
export type ConfigSource = "required" | "optional" | "optional-hint" | "none" | OptionalConfig;

export interface OpenSetting {
  readonly common: CommonOptions;
  readonly defaultLevel: LogLevel;
  readonly metrics: Metrics;
  /** Where log lines go. */
  readonly writeLog: (line: string) => void;
  readonly config: ConfigSource;
  /** Somebody at this door sees what servers ask. */
  readonly answersQuestions?: boolean;
}

/** An engine as a door holds it. No server is started yet: whoever opened it decides when. */
export interface Opened {
  readonly kind: "opened";
  readonly engine: Engine;
  /** Starts the servers of the config, once. Problems are values. Aborting the signal gives up: then there are none. */
  start(signal: AbortSignal): Promise<readonly StartProblem[]>;
  /** Ends what processes that died left open in the call log. Starting does so, too. */
  recover(): Promise<void>;
  /** What the config file says; nothing when there is none. */
  readonly config: EngineConfig;
  readonly configFile: string | undefined;
  /** Everything that was warned about so far. */
  readonly warnings: readonly string[];
  readonly logger: Logger;
  /** Becomes what the config file says whenever it changes, from now on; a bad edit is said and changes nothing. */
  followConfig(): Promise<void>;
  /** Lets what this door began end within `drainMs`, then lets go of the engine. A second call waits for the first. */
  detach(drainMs?: number): Promise<void>;
}

export interface OpenRefused {
  readonly kind: "refused";
  readonly messages: readonly string[];
}

/** The one way commands and doors come to an engine. */
export async function openEngine(context: Context, setting: OpenSetting): Promise<Opened | OpenRefused> {
  const { io } = context;
  const { common, metrics, answersQuestions = false } = setting;
  const loaded = await load(setting.config, common, io);
  if (loaded.kind === "refused") return loaded;
  const { config, file: configFile } = loaded;
  const knownSecrets = createKnownSecrets();
  // Before the first log line, and for an engine that is never started.
  knownSecrets.add(secretsOfConfig(config));
  const { redact } = knownSecrets;
  const warnings: string[] = [];
  const plainLogger = createLogger({
    format: common.logFormat ?? (io.stderrIsTerminal ? "text" : "json"),
    level: common.logLevel ?? setting.defaultLevel,
    write: setting.writeLog,
    redact,
    now: () => systemClock.now(),
  });
  const logger = collectWarnings(plainLogger, (text) => warnings.push(redact(text)));
  for (const warning of loaded.warnings) logger.log("warn", warning);

  const folder = dataFolder(io);
  const request = { config, dataFolder: folder, env: io.env, logger, metrics, knownSecrets, answersQuestions };
  const opened = await context.openEngine(request);
  if (opened.kind === "refused") return { kind: "refused", messages: [opened.message] };
  return { kind: "opened", config, configFile, warnings, logger, ...attach(opened, { configFile, logger, io }) };
}

interface Surrounding {
  readonly configFile: string | undefined;
  readonly logger: Logger;
  readonly io: Io;
}

type Attached = Pick<Opened, "engine" | "start" | "recover" | "followConfig" | "detach">;

function attach({ host, close }: OpenedHost, { configFile, logger, io }: Surrounding): Attached {
  let started: Promise<readonly StartProblem[]> | undefined;
  let detached: Promise<void> | undefined;
  let watch: ConfigWatch | undefined;
  return {
    engine: host.engine,
    start: (signal) => {
      started ??= start(host, signal);
      return started;
    },
    async recover() {
      await host.recover();
    },
    async followConfig() {
      if (configFile === undefined) return;
      watch = await watchConfig(configFile, () => reload(host, configFile, logger, io));
      logger.log("info", `Watching ${configFile} for changes`);
    },
    detach(drainMs = 0) {
      detached ??= letGo(drainMs);
      return detached;
    },
  };

  async function letGo(drainMs: number): Promise<void> {
    const ends = await Promise.allSettled([watch?.close(), host.stop(drainMs)]);
    await close();
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }
}

async function start(host: EngineHost, signal: AbortSignal): Promise<readonly StartProblem[]> {
  try {
    const { problems } = await host.start(signal);
    return signal.aborted ? [] : problems;
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}

async function reload(host: EngineHost, file: string, logger: Logger, io: Io): Promise<void> {
  const loaded = await loadConfig(file, io);
  if (loaded.kind === "refused") {
    for (const message of loaded.messages) logger.log("error", `${message}\nNothing was changed.`);
    return;
  }
  for (const warning of loaded.warnings) logger.log("warn", warning);
  await host.reload(loaded.config);
}

const NO_TOOLS_YET =
  "No config file yet, so there are no tools. Add a server with `tacklebox add`, or bring over those of another program with `tacklebox import`.";

async function load(source: ConfigSource, { config: explicit }: CommonOptions, io: Io): Promise<OptionalConfig> {
  if (typeof source === "object") return source;
  if (source === "required") return loadConfig(explicit, io);
  if (source === "none") return { kind: "ok", file: undefined, config: nothingConfigured(), warnings: [] };
  const loaded = await loadOptionalConfig(explicit, io);
  const isHinted = source === "optional-hint" && loaded.kind === "ok" && loaded.file === undefined;
  return isHinted ? { ...loaded, warnings: [NO_TOOLS_YET] } : loaded;
}

/** Nor how long calls are kept: whoever does not ask what the config says removes none. */
function nothingConfigured(): EngineConfig {
  const { calls: _calls, ...config } = emptyConfig();
  return config;
}
