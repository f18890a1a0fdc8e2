import { Worker } from "node:worker_threads";
import { until } from "./processes.ts";
import { releaseAfterwards } from "./release.ts";
import type { Exit, RunningProcess } from "./running-process.ts";

/**
 * Runs a program within this process: with streams, arguments and an environment of its own, but as a thread, which nobody
 * can signal.
 */
export function startThread(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): RunningProcess {
  const streams = { stdin: true, stdout: true, stderr: true };
  const worker = new Worker(program, { argv: [...args], env: { ...env }, ...streams });
  let stdout = "";
  let stderr = "";
  worker.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  worker.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exit = new Promise<Exit>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", (code) => {
      resolve({ code, signal: null, stdout, stderr });
    });
  });
  const waitFor = (written: () => string, fits: (line: string) => boolean) =>
    until(() => written().split("\n").slice(0, -1).find(fits), { describe: `a line of ${program}` });
  const endStdin = () => void worker.stdin?.end();
  releaseAfterwards(async () => {
    endStdin();
    await exit;
  });
  return {
    pid: process.pid,
    exit,
    stdout: () => stdout,
    stderr: () => stderr,
    onStdout: (listener) => void worker.stdout.on("data", listener),
    waitForStdout: (fits) => waitFor(() => stdout, fits),
    waitForStderr: (fits) => waitFor(() => stderr, fits),
    write: (text) => void worker.stdin?.write(text),
    endStdin,
    kill() {
      throw new Error("There is no process to signal");
    },
    async stop() {
      endStdin();
      return exit;
    },
  };
}
