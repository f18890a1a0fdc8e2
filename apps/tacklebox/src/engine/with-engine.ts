import {
  type Caller,
  type EngineConfig,
  type LogLevel,
  type StartPlan,
  type StartProblem,
  StoreError,
  systemClock,
} from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { dataFolder } from "../config-file/folders.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { watchSignals } from "../interruption.ts";
import type { Io } from "../io.ts";
import { showConnectProgress } from "../output/connect-progress.ts";
import { printProblems, printStartProblems } from "../output/print.ts";
import { createProgressLine, type ProgressLine } from "../output/progress-line.ts";
import { hasStore } from "../store-upkeep.ts";
import { type ConfigSource, type LongRunning, type Opened, type OpenOptions, openEngine } from "./open.ts";
import { warnOfDrops } from "./warn-of-drops.ts";

/** The caller of calls made from the command line, by a person or a script. */
export const CLI: Caller = { door: "cli" };

export interface EngineUse {
  readonly common: CommonOptions;
  readonly defaultLevel: LogLevel;
  /** The exit code when SIGTERM arrives before the servers have started. */
  readonly exitWhenTerminated: ExitCode;
  /** Which servers to start; may depend on those of the config. */
  readonly plan: StartPlan | ((config: EngineConfig) => StartPlan);
  /** Whether to give servers that join later a moment: a model is sent the tools there are when its run begins. */
  readonly joinsFirst?: boolean;
  readonly longRunning?: LongRunning;
}

/** For a command that looks at one server, if it names one, or else at all of them. */
export function oneShot(common: CommonOptions, server?: string): EngineUse {
  const plan: StartPlan = server === undefined ? { kind: "everything" } : { kind: "one-server", server };
  return { common, defaultLevel: "warn", exitWhenTerminated: EXIT.interrupted, plan };
}

/** For a command that asks a model, which is not kept waiting by servers that take long. */
export function forModel(common: CommonOptions, longRunning: LongRunning): EngineUse {
  return { ...oneShot(common), plan: { kind: "join-later" }, joinsFirst: true, longRunning };
}

/** A started engine, with what is known about its start. */
export interface BorrowedEngine
  extends Pick<Opened, "engine" | "config" | "configFile" | "warnings" | "logger" | "reloadConfig" | "detach"> {
  /** Problems that keep the toolbox from starting. */
  readonly problems: readonly StartProblem[];
  readonly line: ProgressLine;
  readonly interrupted: AbortSignal;
  readonly terminated: AbortSignal;
}

/** An engine whose servers are not started. */
export interface IdleEngine extends Pick<Opened, "engine" | "config" | "configFile"> {
  readonly interrupted: AbortSignal;
}

/** An engine that can read the data folder but knows no config. */
export type EngineWithRecords = Pick<Opened, "engine" | "recover">;

/** Loads the config and starts the engine for the duration of `use`. Leaves nothing running, however `use` ends. */
export function withEngine(
  context: Context,
  engineUse: EngineUse,
  use: (borrowed: BorrowedEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withStarted(context, engineUse, "required", use);
}

/** Like withEngine, for commands that cannot do anything when something required is missing. */
export function withStartedEngine(
  context: Context,
  engineUse: EngineUse,
  use: (borrowed: BorrowedEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withStarted(context, engineUse, "required", unlessProblems(context.io, engineUse.common, use));
}

/** Like withStartedEngine, for commands that are also useful without a config file. */
export function withStartedEngineEvenUnconfigured(
  context: Context,
  engineUse: EngineUse,
  use: (borrowed: BorrowedEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withStarted(context, engineUse, "optional-hint", unlessProblems(context.io, engineUse.common, use));
}

/** Opens an engine on the config and the store without starting servers. Needs no config file. */
export async function withIdleEngine(
  context: Context,
  common: CommonOptions,
  use: (borrowed: IdleEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { interrupted, terminated, dispose } = watchSignals(context.io.control);
  const ended = AbortSignal.any([interrupted, terminated]);
  try {
    return await withOpened(context, idleOptions(context.io, common, "optional"), ({ engine, config, configFile }) =>
      use({ engine, config, configFile, interrupted: ended }),
    );
  } finally {
    dispose();
  }
}

/** Opens an engine on the data folder, creating it if need be. Reads no config, so a broken one does not matter. */
export function withRecords(
  context: Context,
  common: CommonOptions,
  use: (borrowed: EngineWithRecords) => Promise<ExitCode>,
): Promise<ExitCode> {
  // Only errors are logged: a command that prints a list should print nothing else.
  return withOpened(context, { ...idleOptions(context.io, common, "none"), defaultLevel: "error" }, use);
}

/** Like withRecords, but creates nothing: passes undefined when nothing has been stored yet. */
export async function withExistingRecords(
  context: Context,
  common: CommonOptions,
  use: (borrowed: EngineWithRecords | undefined) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (!(await hasStore(dataFolder(context.io)))) return use(undefined);
  const options = { ...idleOptions(context.io, common, "none"), defaultLevel: "error", readsOnly: true } as const;
  return withOpened(context, options, use);
}

function idleOptions(io: Io, common: CommonOptions, config: ConfigSource): OpenOptions {
  const writeLog = (text: string) => void io.stderr.write(text);
  return { common, defaultLevel: "warn", writeLog, config };
}

/** Opens an engine for the duration of `use`. Prints why it cannot be opened, or why its store cannot be used. */
async function withOpened(
  context: Context,
  options: OpenOptions,
  use: (opened: Opened) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { io } = context;
  const opened = await openEngine(context, options);
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

async function withStarted(
  context: Context,
  { common, defaultLevel, exitWhenTerminated, plan: planned, joinsFirst = false, longRunning }: EngineUse,
  config: ConfigSource,
  use: (borrowed: BorrowedEngine) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { io } = context;
  const line = openProgressLine(io);
  const writeLog = (text: string) => void line.write(text);
  const options = { common, defaultLevel, longRunning, writeLog, config };
  const { interrupted, terminated, dispose } = watchSignals(io.control);
  const start = async (opened: Opened, plan: StartPlan, signal: AbortSignal) => {
    const problems = await opened.start(signal, plan);
    if (joinsFirst && problems.length === 0) await opened.untilJoined(signal, "to-begin");
    return problems;
  };
  try {
    return await withOpened(context, options, async (opened) => {
      const plan = typeof planned === "function" ? planned(opened.config) : planned;
      let stopWarning: (() => void) | undefined;
      try {
        const endProgress = showConnectProgress(opened.engine, systemClock, line, opened.logger);
        stopWarning = plan.kind === "join-later" ? warnOfDrops(opened.engine, opened.logger) : undefined;
        const stopped = AbortSignal.any([interrupted, terminated]);
        const problems = await start(opened, plan, stopped).finally(() => endProgress());
        if (interrupted.aborted) return EXIT.interrupted;
        if (terminated.aborted) return exitWhenTerminated;
        return await use({ ...opened, problems, line, interrupted, terminated });
      } finally {
        stopWarning?.();
        line.clear();
      }
    });
  } finally {
    dispose();
  }
}

function openProgressLine(io: Io): ProgressLine {
  // A dumb terminal cannot erase a line, so every update would stay on the screen.
  const live = io.stderrIsTerminal && io.env.TERM !== "dumb";
  return createProgressLine(io.stderr, { live, columns: io.stderrColumns });
}

function unlessProblems(
  io: Io,
  common: CommonOptions,
  use: (borrowed: BorrowedEngine) => Promise<ExitCode>,
): (borrowed: BorrowedEngine) => Promise<ExitCode> {
  return async (borrowed) => {
    if (borrowed.problems.length === 0) return use(borrowed);
    await printStartProblems(io, borrowed.problems, common);
    return EXIT.couldNotStart;
  };
}
