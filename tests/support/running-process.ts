import { spawn } from "node:child_process";
import { once } from "node:events";
import { descendantsOf, isRunning, until } from "./processes.ts";
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
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // Writing to a process that has ended is the test's to notice, by its exit, not a crash of the test runner.
  child.stdin.on("error", () => undefined);
  await once(child, "spawn");
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} was spawned without a process id`);

  let ended: Exit | undefined;
  const exit = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => {
      ended = { code, signal, stdout, stderr };
      resolve(ended);
    });
  });

  const waitForLine = async (stream: "stdout" | "stderr", fits: (line: string) => boolean): Promise<string> => {
    const found = await until(
      () => {
        const finished = ended !== undefined;
        const line = wholeLines(stream === "stdout" ? stdout : stderr).find(fits);
        if (line !== undefined) return { line };
        if (finished)
          throw new Error(`no such line on ${stream}; the process ended: ${JSON.stringify(ended, null, 2)}`);
        return undefined;
      },
      { describe: `a line on ${stream} of ${[command, ...args].join(" ")}` },
    );
    return found.line;
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
    stdout: () => stdout,
    stderr: () => stderr,
    onStdout: (listener) => void child.stdout.on("data", listener),
    waitForStdout: (fits) => waitForLine("stdout", fits),
    waitForStderr: (fits) => waitForLine("stderr", fits),
    write: (text) => void child.stdin.write(text),
    endStdin: () => void child.stdin.end(),
    kill: (signal = "SIGTERM") => void child.kill(signal),
    stop,
  };
}

function wholeLines(text: string): readonly string[] {
  return text.split(/\r?\n/).slice(0, -1);
}

/** Nobody left to signal is what was wanted. */
function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
}
