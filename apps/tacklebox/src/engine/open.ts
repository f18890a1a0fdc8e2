import { resolve } from "node:path";
import {
  createKnownSecrets,
  type Engine,
  type EngineConfig,
  type EngineHost,
  type Logger,
  type LogLevel,
  type Metrics,
  type StartPlan,
  type StartProblem,
  secretsOfConfig,
  systemClock,
} from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import type { OpenedHost } from "../compose-engine.ts";
import { askAtTerminal } from "../config-file/agreement/ask-at-terminal.ts";
import { placeOf } from "../config-file/agreement/file-place.ts";
import { recordFile } from "../config-file/agreement/records.ts";
import type { AskToAgree } from "../config-file/agreement/require-agreement.ts";
import type { FoundFile } from "../config-file/find-config.ts";
import { dataFolder } from "../config-file/folders.ts";
import { loadConfig, loadFile } from "../config-file/load-config.ts";
import { emptyConfig, loadOptionalConfig, type OptionalConfig } from "../config-file/load-optional-config.ts";
import { type ConfigWatch, watchConfig } from "../config-file/watch-config.ts";
import type { Io } from "../io.ts";
import { collectWarnings, createLogger } from "../logs.ts";
import { joinBriefly } from "./join-briefly.ts";

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
  /** False where stdin and stderr are in use, so that nobody can be asked to agree to a config file. */
  readonly mayAsk?: boolean;
  /** True when a person at this door sees the questions of servers. */
  readonly answersQuestions?: boolean;
  /** True for a command that reads what is stored, and ends. It also works on a full disk. */
  readonly readsOnly?: boolean;
}

/** An engine as a door holds it. Servers start only when the door calls `start`. */
export interface Opened {
  readonly kind: "opened";
  readonly engine: Engine;
  /**
   * Starts servers of the config, once and as the plan says, and returns the problems. Aborting the signal gives up and
   * returns none.
   */
  start(signal: AbortSignal, plan: StartPlan): Promise<readonly StartProblem[]>;
  /**
   * Resolves when the servers that join later are up or have failed, or when those that are up have waited long enough
   * for the others. Resolves at once when the signal is aborted.
   */
  untilJoined(signal: AbortSignal): Promise<void>;
  /** Closes the entries that dead processes left open in the call log. `start` does this too. */
  recover(): Promise<void>;
  /** The config in use; without a file, one without servers. */
  readonly config: EngineConfig;
  readonly configFile: string | undefined;
  /** The texts of all warnings logged so far. */
  readonly warnings: readonly string[];
  readonly logger: Logger;
  /**
   * Reloads the config file whenever it changes, from now on. A file that is invalid, or has to be agreed to again, is
   * logged and changes nothing.
   */
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
  const { common, metrics, answersQuestions = false, mayAsk = true, readsOnly = false } = options;
  const loaded = await load(options.config, common, io, mayAsk ? askAtTerminal(io) : undefined);
  if (loaded.kind !== "ok") return { kind: "refused", messages: loaded.messages };
  const { config, file: configFile } = loaded;
  const source: FoundFile | undefined =
    loaded.file === undefined ? undefined : { kind: "found", file: loaded.file, origin: loaded.origin };
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
  const given = { config: named, dataFolder: folder, env: io.env, logger, metrics, knownSecrets };
  const opened = await context.openEngine({ ...given, answersQuestions, readsOnly });
  if (opened.kind === "refused") return { kind: "refused", messages: [opened.message] };
  return { kind: "opened", config, configFile, warnings, logger, ...attach(opened, { source, logger, io }) };
}

interface AttachDeps {
  readonly source: FoundFile | undefined;
  readonly logger: Logger;
  readonly io: Io;
}

type Attached = Pick<Opened, "engine" | "start" | "untilJoined" | "recover" | "followConfig" | "detach">;

function attach({ host, close }: OpenedHost, { source, logger, io }: AttachDeps): Attached {
  let started: Promise<readonly StartProblem[]> | undefined;
  let joined: Promise<void> | undefined;
  let detached: Promise<void> | undefined;
  let watch: ConfigWatch | undefined;
  return {
    engine: host.engine,
    start: (signal, plan) => {
      started ??= start(host, signal, plan);
      return started;
    },
    async untilJoined(signal) {
      joined ??= joinBriefly(host, systemClock);
      await Promise.race([joined, aborted(signal)]);
    },
    async recover() {
      await host.recover();
    },
    async followConfig() {
      if (source === undefined) return;
      watch = await watchConfig(await filesToWatch(source, io), () => reload(host, source, logger, io));
      logger.log("info", `Watching ${source.file} for changes`);
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

async function start(host: EngineHost, signal: AbortSignal, plan: StartPlan): Promise<readonly StartProblem[]> {
  try {
    const { problems } = await host.start(signal, plan);
    return signal.aborted ? [] : problems;
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}

/** A file of the current folder is reloaded when somebody agrees to its new content, too. */
async function filesToWatch({ file, origin }: FoundFile, io: Io): Promise<readonly string[]> {
  return origin === "operator" ? [file] : [file, recordFile(await placeOf(file), io)];
}

async function reload(host: EngineHost, source: FoundFile, logger: Logger, io: Io): Promise<void> {
  const loaded = await loadFile(source, io, undefined);
  if (loaded.kind === "unagreed") {
    logger.log("warn", loaded.atReload);
    return;
  }
  if (loaded.kind === "refused") {
    for (const message of loaded.messages) logger.log("error", `${message}\nNothing was changed.`);
    return;
  }
  for (const warning of loaded.warnings) logger.log("warn", warning);
  await host.reload(loaded.config);
}

const NO_TOOLS_YET = "No config file yet, so there are no tools. To create one: tacklebox init";

async function load(
  source: ConfigSource,
  { config: explicit }: CommonOptions,
  io: Io,
  ask: AskToAgree,
): Promise<OptionalConfig> {
  if (typeof source === "object") return source;
  if (source === "required") return loadConfig(explicit, io, ask);
  if (source === "none") return { kind: "ok", file: undefined, config: nothingConfigured(), warnings: [] };
  const loaded = await loadOptionalConfig(explicit, io, ask);
  const needsHint = source === "optional-hint" && loaded.kind === "ok" && loaded.file === undefined;
  return needsHint ? { ...loaded, warnings: [NO_TOOLS_YET] } : loaded;
}

/** Leaves out how long calls are kept as well: a command that does not read the config must not delete any. */
function nothingConfigured(): EngineConfig {
  const { calls: _calls, ...config } = emptyConfig();
  return config;
}
