import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Exit, type RunningProcess, startProcess } from "./running-process.ts";
import { startThread } from "./running-thread.ts";
import { temporaryFolder } from "./workspace.ts";

export interface ProgramOptions {
  /** Defaults to a new empty folder. */
  readonly cwd?: string;
  /** Added to the minimal environment; may replace HOME, PATH and TACKLEBOX_DATA. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program to run; defaults to the built one. */
  readonly program?: string;
}

export interface RunOptions extends ProgramOptions {
  /** Text written before stdin is closed. */
  readonly stdin?: string;
}

export const builtProgram = fileURLToPath(new URL("../../apps/tacklebox/dist/main.js", import.meta.url));

/** Runs the built program to its end, with nothing from this machine's environment but PATH. */
export async function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Exit> {
  const program = await startProgram(args, options);
  if (options.stdin !== undefined) program.write(options.stdin);
  program.endStdin();
  return program.exit;
}

/** Starts the built program with its own data directory and home; it is ended with the test. */
export async function startProgram(args: readonly string[], options: ProgramOptions = {}): Promise<RunningProcess> {
  const { program, cwd, env } = await prepare(options);
  return startProcess(process.execPath, [program, ...args], { cwd, env });
}

/** Like startProgram, but runs the program as a thread of this process. */
export async function startProgramHere(args: readonly string[], options: ProgramOptions = {}): Promise<RunningProcess> {
  const { program, env } = await prepare(options);
  return startThread(program, args, env);
}

async function prepare(options: ProgramOptions) {
  const folder = await temporaryFolder();
  const home = join(folder, "home");
  const cwd = join(folder, "work");
  await mkdir(home);
  await mkdir(cwd);
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TACKLEBOX_DATA: join(folder, "data"),
    ...coverageEnv(),
    ...options.env,
  };
  const program = options.program ?? process.env.TACKLEBOX_PROGRAM ?? builtProgram;
  return { program, cwd: options.cwd ?? cwd, env };
}

/** Tells the program under test where to write its coverage, if coverage is measured. */
export function coverageEnv(): Readonly<Record<string, string>> {
  const folder = process.env.TACKLEBOX_COVERAGE_DIR ?? process.env.NODE_V8_COVERAGE;
  return folder === undefined ? {} : { NODE_V8_COVERAGE: folder };
}
