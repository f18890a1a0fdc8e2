import { spawn } from "node:child_process";
import { once } from "node:events";
import { descendantsOf, isRunning, until } from "./processes.ts";
import { readLines } from "./read-lines.ts";
import { releaseAfterwards } from "./release.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A child process as tests drive it. It and everything it started are ended with the test, at the latest. */
export interface RunningProcess {
  readonly pid: number;
  /** Resolves when the process is gone and its output has been read to the end. */
  readonly exit: Promise<Exit>;
  /** Everything written so far. */
  stdout(): string;
  stderr(): string;
  /** Called with each piece of stdout from now on. */
  onStdout(listener: (text: string) => void): void;
  /** The first whole line, past or still to come, that fits. Fails when the process ends without one. */
  waitForStdout(fits: (line: string) => boolean): Promise<string>;
  waitForStderr(fits: (line: string) => boolean): Promise<string>;
  write(text: string): void;
  endStdin(): void;
  /** Signals this process alone, SIGTERM unless said otherwise. */
  kill(signal?: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL for whatever of it is left after a while. */
  stop(): Promise<Exit>;
}

export interface ProcessOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const POLITE_MS = 5_000;

export async function startProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<RunningProcess> {
  // Its own group, so that all of it can be ended at once.
  const child = spawn(command, args, { cwd: options.cwd, env: { ...options.env }, stdio: "pipe", detached: true });
  const called = [command, ...args].join(" ");
  const stdout = readLines(child.stdout, `stdout of ${called}`);
  const stderr = readLines(child.stderr, `stderr of ${called}`);
  // Writing to a process that has ended is the test's to notice, by its exit, not a crash of the test runner.
  child.stdin.on("error", () => undefined);
  await once(child, "spawn");
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} was spawned without a process id`);

  const exit = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, stdout: stdout.text(), stderr: stderr.text() }));
  });

  const explain = async (error: unknown): Promise<never> => {
    const whole = isRunning(pid) ? { stdout: stdout.text(), stderr: stderr.text() } : await exit;
    throw new Error(`${String(error)}: ${JSON.stringify(whole, null, 2)}`);
  };

  const stop = async (): Promise<Exit> => {
    const descendants = descendantsOf(pid);
    child.kill("SIGTERM");
    await until(() => !isRunning(pid), { describe: "its end", withinMs: POLITE_MS }).catch(() => undefined);
    // Those it started may be in groups of their own, and may have outlived it.
    for (const one of descendants.filter(isRunning)) signalQuietly(one, "SIGKILL");
    signalQuietly(-pid, "SIGKILL");
    return exit;
  };

  releaseAfterwards(async () => {
    await stop();
  });
  return {
    pid,
    exit,
    stdout: stdout.text,
    stderr: stderr.text,
    onStdout: (listener) => void child.stdout.on("data", listener),
    waitForStdout: (fits) => stdout.waitFor(fits).catch(explain),
    waitForStderr: (fits) => stderr.waitFor(fits).catch(explain),
    write: (text) => void child.stdin.write(text),
    endStdin: () => void child.stdin.end(),
    kill: (signal = "SIGTERM") => void child.kill(signal),
    stop,
  };
}

/** Nobody left to signal is what was wanted. */
function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
}
