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

/** A child process driven by a test. It and everything it started are ended with the test at the latest. */
export interface RunningProcess {
  readonly pid: number;
  /** Resolves when the process is gone and its output has been read to the end. */
  readonly exit: Promise<Exit>;
  /** Everything written so far. */
  stdout(): string;
  stderr(): string;
  /** Calls the listener with each piece of stdout from now on. */
  onStdout(listener: (text: string) => void): void;
  /** The first whole line that fits, which may already have arrived. Rejects when the process ends without one. */
  waitForStdout(fits: (line: string) => boolean): Promise<string>;
  waitForStderr(fits: (line: string) => boolean): Promise<string>;
  write(text: string): void;
  endStdin(): void;
  /** Sends a signal, SIGTERM by default, to this process alone. */
  kill(signal?: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL to whatever is left after a grace period. */
  stop(): Promise<Exit>;
}

export interface ProcessOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const GRACE_MS = 5_000;

export async function startProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<RunningProcess> {
  // In its own process group, so that the whole group can be ended at once.
  const child = spawn(command, args, { cwd: options.cwd, env: { ...options.env }, stdio: "pipe", detached: true });
  const called = [command, ...args].join(" ");
  const stdout = readLines(child.stdout, `stdout of ${called}`);
  const stderr = readLines(child.stderr, `stderr of ${called}`);
  // A test notices an ended process by its exit; writing to it must not crash the test runner.
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
    await until(() => !isRunning(pid), { describe: "its end", withinMs: GRACE_MS }).catch(() => undefined);
    // Processes it started may be in groups of their own, and may have outlived it.
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

/** Sends a signal; a process that has already ended is fine. */
function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
}
