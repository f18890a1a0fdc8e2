import { type Engine, type Logger, type LogLevel, type Metrics, type StartProblem, systemClock } from "@tacklebox/core";
import type { CommonOptions, Context } from "./command-options.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { watchSignals } from "./interruption.ts";
import type { Io } from "./io.ts";
import { noMetrics } from "./metrics.ts";
import { type EngineSetting, type OpenedEngine, openConfigured, openEvenUnconfigured } from "./open-configured.ts";
import { showConnectProgress } from "./output/connect-progress.ts";
import { printProblems, printStartProblems } from "./output/print.ts";
import { createProgressLine, type ProgressLine } from "./output/progress-line.ts";

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
export interface Session {
  readonly engine: Engine;
  /** What keeps the toolbox from starting; secrets struck out. */
  readonly problems: readonly StartProblem[];
  /** Everything that was warned about so far. */
  readonly warnings: readonly string[];
  /** Also strikes out what is learned while running, such as secrets from the vault. */
  readonly redact: (text: string) => string;
  readonly logger: Logger;
  readonly line: ProgressLine;
  readonly interrupted: AbortSignal;
  readonly terminated: AbortSignal;
}

export interface ConfiguredSession extends Session {
  readonly configFile: string;
}

/** Loads the config, starts the engine, lends it to `use`, and leaves nothing running however that ends. */
export async function withEngine(
  context: Context,
  engineUse: EngineUse,
  use: (session: ConfiguredSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const line = openProgressLine(context.io);
  const opened = await openConfigured(context, settingOf(engineUse, line));
  if (opened.kind === "refused") return refuse(context.io, opened.messages);
  const { configFile } = opened;
  return lend(context.io, engineUse, opened, line, (session) => use({ ...session, configFile }));
}

/** As withEngine, for commands that have nothing to do when something required is missing. */
export function withStartedEngine(
  context: Context,
  engineUse: EngineUse,
  use: (session: ConfiguredSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withEngine(context, engineUse, unlessProblems(context.io, use));
}

/** As withStartedEngine, for commands that are of some use without a config file too. */
export async function withStartedEngineEvenUnconfigured(
  context: Context,
  engineUse: EngineUse,
  use: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const line = openProgressLine(context.io);
  const opened = await openEvenUnconfigured(context, settingOf(engineUse, line));
  if (opened.kind === "refused") return refuse(context.io, opened.messages);
  return lend(context.io, engineUse, opened, line, unlessProblems(context.io, use));
}

function openProgressLine(io: Io): ProgressLine {
  // A dumb terminal cannot erase a line, so it would show every state of it.
  const live = io.stderrIsTerminal && io.env.TERM !== "dumb";
  return createProgressLine(io.stderr, { live, columns: io.stderrColumns });
}

function settingOf({ common, defaultLevel, metrics }: EngineUse, line: ProgressLine): EngineSetting {
  return { common, defaultLevel, metrics, writeLog: (text) => void line.write(text) };
}

async function refuse(io: Io, messages: readonly string[]): Promise<ExitCode> {
  await printProblems(io, messages);
  return EXIT.couldNotStart;
}

function unlessProblems<S extends Session>(
  io: Io,
  use: (session: S) => Promise<ExitCode>,
): (session: S) => Promise<ExitCode> {
  return async (session) => {
    if (session.problems.length === 0) return use(session);
    await printStartProblems(io, session.problems);
    return EXIT.couldNotStart;
  };
}

async function lend(
  io: Io,
  { exitWhenTerminated }: EngineUse,
  opened: OpenedEngine,
  line: ProgressLine,
  use: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { engine, warnings, redact, logger } = opened;
  const { interrupted, terminated, dispose } = watchSignals(io.control);
  try {
    const endProgress = showConnectProgress(engine, systemClock, line, logger);
    const problems = await start(engine, AbortSignal.any([interrupted, terminated])).finally(() => endProgress());
    if (interrupted.aborted) return EXIT.interrupted;
    if (terminated.aborted) return exitWhenTerminated;
    return await use({
      engine,
      problems: problems.map((problem) => ({ ...problem, text: redact(problem.text) })),
      warnings,
      redact,
      logger,
      line,
      interrupted,
      terminated,
    });
  } finally {
    line.clear();
    await engine.stop(0);
    await opened.close();
    dispose();
  }
}

async function start(engine: Engine, signal: AbortSignal): Promise<readonly StartProblem[]> {
  try {
    return (await engine.start(signal)).problems;
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}
