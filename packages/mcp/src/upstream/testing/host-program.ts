import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { rolldown } from "rolldown";

/** A program that runs our own modules, for tests that must observe a process from outside: its exit, its memory. */
export interface HostProgram {
  start(...args: string[]): RunningHost;
  remove(): Promise<void>;
}

export interface RunningHost {
  readonly pid: number;
  /** The next line the host prints, parsed as JSON. */
  nextLine(): Promise<unknown>;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  writeLine(line: string): void;
}

/** `source` is JavaScript that imports our modules by absolute path. */
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
      // In its own process group, like a program in a terminal, so that the group can be killed as a whole.
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
        writeLine: (line) => void child.stdin.write(`${line}\n`),
      };
    },
    async remove() {
      for (const child of started) child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
