import { resolve } from "node:path";
import {
  createKnownSecrets,
  type Engine,
  type EngineConfig,
  type EngineHost,
  type Logger,
  type LogLevel,
  type StartPlan,
  type StartProblem,
  secretsOfConfig,
  systemClock,
} from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import type { OpenedHost } from "../compose-engine.ts";
import { askAtTerminal } from "../config-file/agreement/ask-at-terminal.ts";
import type { AskToAgree } from "../config-file/agreement/require-agreement.ts";
import type { FoundFile } from "../config-file/find-config.ts";
import { dataFolder } from "../config-file/folders.ts";
import { loadConfig } from "../config-file/load-config.ts";
import { emptyConfig, loadOptionalConfig, type OptionalConfig } from "../config-file/load-optional-config.ts";
import type { Io } from "../io.ts";
import { collectWarnings, createLogger } from "../logs.ts";
import { openMetrics } from "../metrics.ts";
import { type ConfigReload, type ConfigReloads, createConfigReloads, type OnReload } from "./config-reloads.ts";
import { joinBriefly, type WaitsFor } from "./join-briefly.ts";

/**
 * Where the config comes from. `required` refuses to open without a config file. `optional` goes on without one, and
 * `optional-hint` warns that there are no tools then. `none` reads no file, so no server is known. A config that is
 * already loaded can be given instead.
 */
export type ConfigSource = "required" | "optional" | "optional-hint" | "none" | OptionalConfig;

/** What every command has that goes on working: it follows its config file, and can serve metrics. */
export interface LongRunning {
  /** Where to serve metrics; 0 for any free port, undefined for nowhere. */
  readonly metricsPort: number | undefined;
  readonly onReload?: OnReload;
}

export interface OpenOptions {
  readonly common: CommonOptions;
  readonly defaultLevel: LogLevel;
  /** Absent for a command that does one thing and ends. */
  readonly longRunning?: LongRunning | undefined;
  /** Writes one log line. */
  readonly writeLog: (line: string) => void;
  readonly config: ConfigSource;
  /** False where stdin and stderr are in use, so that nobody can be asked to agree to a config file. */
  readonly mayAsk?: boolean;
  /** True where nobody prints the start problems. They are also logged where the log was asked for as JSON. */
  readonly logsStartProblems?: boolean;
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
  untilJoined(signal: AbortSignal, waitsFor: WaitsFor): Promise<void>;
  /** Closes the entries that dead processes left open in the call log. `start` does this too. */
  recover(): Promise<void>;
  /** The config in use; without a file, one without servers. */
  readonly config: EngineConfig;
  readonly configFile: string | undefined;
  /** The texts of all warnings logged so far. */
  readonly warnings: readonly string[];
  readonly logger: Logger;
  /** Reads the config file again and applies it. A file that is invalid, or has to be agreed to again, changes nothing. */
  reloadConfig(): Promise<ConfigReload>;
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
  const { common, longRunning, answersQuestions = false, mayAsk = true, readsOnly = false } = options;
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
    startProblems: options.logsStartProblems || common.logFormat === "json" ? "logged" : "left-out",
    redact,
    now: () => systemClock.now(),
  });
  const logger = collectWarnings(plainLogger, (text) => warnings.push(redact(text)));
  for (const warning of loaded.warnings) logger.log("warn", warning);

  const served = await openMetrics(longRunning?.metricsPort);
  if (served.kind === "refused") return { kind: "refused", messages: [served.message] };
  if (served.url !== undefined) options.writeLog(`Metrics at ${served.url}\n`);
  const folder = dataFolder(io);
  const named = configFile === undefined ? config : { ...config, source: resolve(configFile) };
  const given = { config: named, dataFolder: folder, env: io.env, logger, metrics: served.metrics, knownSecrets };
  const opened = await context.openEngine({ ...given, answersQuestions, readsOnly });
  if (opened.kind === "refused") {
    await served.close();
    return { kind: "refused", messages: [opened.message] };
  }
  const { host } = opened;
  const close = async () => {
    await opened.close();
    await served.close();
  };
  const reloads = createConfigReloads({ host, source, logger, io });
  const attached = attach({ host, close }, reloads);
  if (longRunning !== undefined) await reloads.follow(attached.started, longRunning.onReload ?? (() => undefined));
  return { kind: "opened", config, configFile, warnings, logger, ...attached.methods };
}

interface Attached {
  readonly methods: Pick<Opened, "engine" | "start" | "untilJoined" | "recover" | "reloadConfig" | "detach">;
  /** Resolves when a start is over. */
  readonly started: Promise<void>;
}

function attach({ host, close }: Pick<OpenedHost, "host" | "close">, reloads: ConfigReloads): Attached {
  let starting: Promise<readonly StartProblem[]> | undefined;
  const joinings = new Map<WaitsFor, Promise<void>>();
  let detached: Promise<void> | undefined;
  let startIsOver: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    startIsOver = resolve;
  });
  const methods: Attached["methods"] = {
    engine: host.engine,
    start: (signal, plan) => {
      starting ??= start(host, signal, plan).finally(startIsOver);
      return starting;
    },
    async untilJoined(signal, waitsFor) {
      const joined = joinings.get(waitsFor) ?? joinBriefly(host, systemClock, waitsFor);
      joinings.set(waitsFor, joined);
      await Promise.race([joined, aborted(signal)]);
    },
    async recover() {
      await host.recover();
    },
    reloadConfig: reloads.reload,
    detach(drainMs = 0) {
      detached ??= release(drainMs);
      return detached;
    },
  };
  return { methods, started };

  async function release(drainMs: number): Promise<void> {
    const ends = await Promise.allSettled([reloads.close(), host.stop(drainMs)]);
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
