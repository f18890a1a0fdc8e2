import { Worker } from "node:worker_threads";
import { readLines } from "./read-lines.ts";
import { releaseAfterwards } from "./release.ts";
import type { Exit, RunningProcess } from "./running-process.ts";

/**
 * Runs a program within this process, with its own streams, arguments and environment, but as a thread, which cannot be
 * signalled.
 */
export function startThread(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): RunningProcess {
  const streams = { stdin: true, stdout: true, stderr: true };
  const worker = new Worker(program, { argv: [...args], env: { ...env }, ...streams });
  const stdout = readLines(worker.stdout, `stdout of ${program}`);
  const stderr = readLines(worker.stderr, `stderr of ${program}`);
  const exit = new Promise<Exit>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", (code) => {
      resolve({ code, signal: null, stdout: stdout.text(), stderr: stderr.text() });
    });
  });
  const endStdin = () => void worker.stdin?.end();
  releaseAfterwards(async () => {
    endStdin();
    await exit;
  });
  return {
    pid: process.pid,
    exit,
    stdout: stdout.text,
    stderr: stderr.text,
    onStdout: (listener) => void worker.stdout.on("data", listener),
    waitForStdout: stdout.waitFor,
    waitForStderr: stderr.waitFor,
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
