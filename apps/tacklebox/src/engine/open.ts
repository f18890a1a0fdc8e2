import { resolve } from "node:path";
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
import type { OpenedHost } from "../compose-engine.ts";
import { dataFolder } from "../config-file/folders.ts";
import { loadConfig } from "../config-file/load-config.ts";
import { emptyConfig, loadOptionalConfig, type OptionalConfig } from "../config-file/load-optional-config.ts";
import { type ConfigWatch, watchConfig } from "../config-file/watch-config.ts";
import type { Io } from "../io.ts";
import { collectWarnings, createLogger } from "../logs.ts";

/**
 * Where the config comes from. `required` refuses to open without a config file. `optional` goes on without one, and
 * `optional-hint` warns that there are no tools then. `none` reads no file, so no server is known. A config that is
 * already loaded can be given instead.
 */
export type ConfigSource = "required" | "optional" | "optional-hint" | "none" | OptionalConfig;

export interface OpenOptions {
  readonly common: CommonOptions;
  readonly defaultLevel: LogLevel;
  readonly metrics: Metrics;
  /** Writes one log line. */
  readonly writeLog: (line: string) => void;
  readonly config: ConfigSource;
  /** True when a person at this door sees the questions of servers. */
  readonly answersQuestions?: boolean;
}

/** An engine as a door holds it. Servers start only when the door calls `start`. */
export interface Opened {
  readonly kind: "opened";
  readonly engine: Engine;
  /** Starts the config's servers, once, and returns the problems. Aborting the signal gives up and returns none. */
  start(signal: AbortSignal): Promise<readonly StartProblem[]>;
  /** Closes the entries that dead processes left open in the call log. `start` does this too. */
  recover(): Promise<void>;
  /** The config in use; without a file, one without servers. */
  readonly config: EngineConfig;
  readonly configFile: string | undefined;
  /** The texts of all warnings logged so far. */
  readonly warnings: readonly string[];
  readonly logger: Logger;
  /** Reloads the config file whenever it changes, from now on. An invalid file is logged and changes nothing. */
  followConfig(): Promise<void>;
  /** Gives running calls up to `drainMs` to end, then stops the engine. A second call waits for the first. */
  detach(drainMs?: number): Promise<void>;
}

export interface OpenRefused {
  readonly kind: "refused";
  readonly messages: readonly string[];
}

/** Opens an engine. Every command and door gets its engine from here. */
export async function openEngine(context: Context, options: OpenOptions): Promise<Opened | OpenRefused> {
  const { io } = context;
  const { common, metrics, answersQuestions = false } = options;
  const loaded = await load(options.config, common, io);
  if (loaded.kind === "refused") return loaded;
  const { config, file: configFile } = loaded;
  const knownSecrets = createKnownSecrets();
  // Registered before the first log line, and for engines that are never started.
  knownSecrets.add(secretsOfConfig(config));
  const { redact } = knownSecrets;
  const warnings: string[] = [];
  const plainLogger = createLogger({
    format: common.logFormat ?? (io.stderrIsTerminal ? "text" : "json"),
    level: common.logLevel ?? options.defaultLevel,
    write: options.writeLog,
    redact,
    now: () => systemClock.now(),
  });
  const logger = collectWarnings(plainLogger, (text) => warnings.push(redact(text)));
  for (const warning of loaded.warnings) logger.log("warn", warning);

  const folder = dataFolder(io);
  const named = configFile === undefined ? config : { ...config, source: resolve(configFile) };
  const request = { config: named, dataFolder: folder, env: io.env, logger, metrics, knownSecrets, answersQuestions };
  const opened = await context.openEngine(request);
  if (opened.kind === "refused") return { kind: "refused", messages: [opened.message] };
  return { kind: "opened", config, configFile, warnings, logger, ...attach(opened, { configFile, logger, io }) };
}

interface AttachDeps {
  readonly configFile: string | undefined;
  readonly logger: Logger;
  readonly io: Io;
}

type Attached = Pick<Opened, "engine" | "start" | "recover" | "followConfig" | "detach">;

function attach({ host, close }: OpenedHost, { configFile, logger, io }: AttachDeps): Attached {
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
      detached ??= release(drainMs);
      return detached;
    },
  };

  async function release(drainMs: number): Promise<void> {
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
  const needsHint = source === "optional-hint" && loaded.kind === "ok" && loaded.file === undefined;
  return needsHint ? { ...loaded, warnings: [NO_TOOLS_YET] } : loaded;
}

/** Leaves out how long calls are kept as well: a command that does not read the config must not delete any. */
function nothingConfigured(): EngineConfig {
  const { calls: _calls, ...config } = emptyConfig();
  return config;
}
