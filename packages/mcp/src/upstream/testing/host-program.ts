import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { rolldown } from "rolldown";

/** A program around our own modules, for what can only be seen from outside of it: its end, its memory. */
export interface HostProgram {
  start(...args: string[]): RunningHost;
  remove(): Promise<void>;
}

export interface RunningHost {
  readonly pid: number;
  /** The next line the host prints, which has to be JSON. */
  nextLine(): Promise<unknown>;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  say(line: string): void;
}

/** `source` is JavaScript that names our modules by their absolute paths. */
export async function buildHostProgram(source: string): Promise<HostProgram> {
  const folder = await mkdtemp(path.join(tmpdir(), "host-"));
  await writeFile(path.join(folder, "source.mjs"), source);
  const bundle = await rolldown({ input: path.join(folder, "source.mjs"), platform: "node", external: /^node:/ });
  const file = path.join(folder, "host.mjs");
  await bundle.write({ file, codeSplitting: false });
  await bundle.close();
  const started: ChildProcess[] = [];
  return {
    start(...args) {
      // A group of its own, which can be killed as a whole, like that of a terminal's program.
      const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"], detached: true });
      started.push(child);
      const { pid } = child;
      if (pid === undefined) throw new Error("the host did not start");
      const exit = once(child, "exit").then(([code, signal]) => ({ code, signal }));
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        pid,
        exit,
        async nextLine() {
          const { done, value } = await lines.next();
          if (done === true) throw new Error("the host ended without another line");
          return JSON.parse(value);
        },
        say: (line) => void child.stdin.write(`${line}\n`),
      };
    },
    async remove() {
      for (const child of started) child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
