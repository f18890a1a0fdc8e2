import { existsSync } from "node:fs";
import { type Caller, type LogLevel, type Metrics, type StartProblem, StoreError, systemClock } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { dataFolder } from "../config-file/folders.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { watchSignals } from "../interruption.ts";
import type { Io } from "../io.ts";
import { noMetrics } from "../metrics.ts";
import { callLogFile } from "../open-engine.ts";
import { showConnectProgress } from "../output/connect-progress.ts";
import { printProblems, printStartProblems } from "../output/print.ts";
import { createProgressLine, type ProgressLine } from "../output/progress-line.ts";
import { type ConfigSource, type Opened, type OpenSetting, openEngine } from "./open.ts";

/** Whoever types a command, or runs it from a script. */
export const CLI: Caller = { door: "cli" };

export interface EngineUse {
  readonly common: CommonOptions;
  readonly defaultLevel: LogLevel;
  readonly metrics: Metrics;
  /** What the program ends with when SIGTERM comes before the servers are up. */
  readonly exitWhenTerminated: ExitCode;
}

export function oneShot(common: CommonOptions): EngineUse {
  return { common, defaultLevel: "warn", metrics: noMetrics, exitWhenTerminated: EXIT.interrupted };
}

/** A started engine and what is known about its start. */
export interface BorrowedEngine
  extends Pick<Opened, "engine" | "configFile" | "warnings" | "logger" | "followConfig" | "detach"> {
  /** What keeps the toolbox from starting. */
  readonly problems: readonly StartProblem[];
  readonly line: ProgressLine;
  readonly interrupted: AbortSignal;
  readonly terminated: AbortSignal;
}

/** An engine that has started no server. */
export interface IdleEngine extends Pick<Opened, "engine" | "config" | "configFile"> {
  readonly interrupted: AbortSignal;
}

/** An engine that knows what was kept in the data folder, and no config. */
export type EngineWithRecords = Pick<Opened, "engine" | "recover">;

/** Loads the config, starts the engine, lends it to `use`, and leaves nothing running however that ends. */
export function withEngine(
  context: Context,
  engineUse: EngineUse,
  use: (session: BorrowedEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  return lendStarted(context, engineUse, "required", use);
}

/** As withEngine, for commands that have nothing to do when something required is missing. */
export function withStartedEngine(
  context: Context,
  engineUse: EngineUse,
  use: (session: BorrowedEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  return lendStarted(context, engineUse, "required", unlessProblems(context.io, use));
}

/** As withStartedEngine, for commands that are of some use without a config file too. */
export function withStartedEngineEvenUnconfigured(
  context: Context,
  engineUse: EngineUse,
  use: (session: BorrowedEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  return lendStarted(context, engineUse, "optional-hint", unlessProblems(context.io, use));
}

/** Lends an engine that knows the config and the store and has started no server. Needs no config file. */
export async function withIdleEngine(
  context: Context,
  common: CommonOptions,
  use: (session: IdleEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { interrupted, terminated, dispose } = watchSignals(context.io.control);
  const ended = AbortSignal.any([interrupted, terminated]);
  try {
    return await lend(context, idleSetting(context.io, common, "optional"), ({ engine, config, configFile }) =>
      use({ engine, config, configFile, interrupted: ended }),
    );
  } finally {
    dispose();
  }
}

/** Lends an engine over what the data folder keeps, made now if need be. A config that is broken is in nobody's way. */
export function withKept(
  context: Context,
  common: CommonOptions,
  use: (session: EngineWithRecords) => Promise<ExitCode>,
): Promise<ExitCode> {
  // What it says besides was never asked for: whoever lists something gets the list.
  return lend(context, { ...idleSetting(context.io, common, "none"), defaultLevel: "error" }, use);
}

/** As withKept, but makes nothing: undefined when nothing was kept yet. */
export function withKeptIfAny(
  context: Context,
  common: CommonOptions,
  use: (session: EngineWithRecords | undefined) => Promise<ExitCode>,
): Promise<ExitCode> {
  return existsSync(callLogFile(dataFolder(context.io))) ? withKept(context, common, use) : use(undefined);
}

function idleSetting(io: Io, common: CommonOptions, config: ConfigSource): OpenSetting {
  const writeLog = (text: string) => void io.stderr.write(text);
  return { common, defaultLevel: "warn", metrics: noMetrics, writeLog, config };
}

/** Says why where there is no engine to be had, or what it keeps cannot be read or written. */
async function lend(
  context: Context,
  setting: OpenSetting,
  use: (opened: Opened) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { io } = context;
  const opened = await openEngine(context, setting);
  if (opened.kind === "refused") return refuse(io, opened.messages);
  try {
    return await use(opened);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return await refuse(io, [error.message]);
  } finally {
    await opened.detach();
  }
}

async function refuse(io: Io, messages: readonly string[]): Promise<ExitCode> {
  await printProblems(io, messages);
  return EXIT.couldNotStart;
}

async function lendStarted(
  context: Context,
  { common, defaultLevel, metrics, exitWhenTerminated }: EngineUse,
  config: ConfigSource,
  use: (session: BorrowedEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { io } = context;
  const line = openProgressLine(io);
  const setting = { common, defaultLevel, metrics, writeLog: (text: string) => void line.write(text), config };
  const { interrupted, terminated, dispose } = watchSignals(io.control);
  try {
    return await lend(context, setting, async (opened) => {
      try {
        const endProgress = showConnectProgress(opened.engine, systemClock, line, opened.logger);
        const problems = await opened.start(AbortSignal.any([interrupted, terminated])).finally(() => endProgress());
        if (interrupted.aborted) return EXIT.interrupted;
        if (terminated.aborted) return exitWhenTerminated;
        return await use({ ...opened, problems, line, interrupted, terminated });
      } finally {
        line.clear();
      }
    });
  } finally {
    dispose();
  }
}

function openProgressLine(io: Io): ProgressLine {
  // A dumb terminal cannot erase a line, so it would show every state of it.
  const live = io.stderrIsTerminal && io.env.TERM !== "dumb";
  return createProgressLine(io.stderr, { live, columns: io.stderrColumns });
}

function unlessProblems(
  io: Io,
  use: (session: BorrowedEngine) => Promise<ExitCode>,
): (session: BorrowedEngine) => Promise<ExitCode> {
  return async (session) => {
    if (session.problems.length === 0) return use(session);
    await printStartProblems(io, session.problems);
    return EXIT.couldNotStart;
  };
}
