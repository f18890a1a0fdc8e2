import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { childrenOf, isRunning, processesWithMarker, until } from "./processes.ts";
import { runProgram, startProgram } from "./program.ts";
import { startProcess } from "./running-process.ts";
import { commandsPath, everythingPath, filesystemPath, memoryPath, sequentialThinkingPath } from "./servers.ts";
import { temporaryFolder, writeConfig } from "./workspace.ts";

async function writeProgram(text: string): Promise<string> {
  return writeConfig(await temporaryFolder(), "program.mjs", text);
}

describe("runProgram", () => {
  it("gives the program its arguments, stdin, an empty home and nothing else from this machine", async () => {
    const program = await writeProgram(`
      const stdin = (await process.stdin.toArray()).join("");
      const { PATH, NODE_V8_COVERAGE, ...env } = process.env;
      console.log(JSON.stringify({ args: process.argv.slice(2), stdin, cwd: process.cwd(), env }));
      console.error("bye");
      process.exit(3);
    `);
    const ended = await runProgram(["call", "--json"], { program, stdin: "{}\n", env: { NO_COLOR: "1" } });
    expect(ended).toMatchObject({ code: 3, signal: null, stderr: "bye\n" });
    const seen = JSON.parse(ended.stdout);
    expect(seen).toMatchObject({ args: ["call", "--json"], stdin: "{}\n" });
    expect(Object.keys(seen.env).sort()).toEqual(["HOME", "NO_COLOR", "TACKLEBOX_DATA"]);
    expect(seen.cwd).not.toBe(process.cwd());
    expect(seen.env.HOME).not.toBe(process.env.HOME);
  });
});

describe("startProgram", () => {
  it("waits for a line, writes, signals and reports the exit", async () => {
    const program = await writeProgram(`
      process.stdin.on("data", (text) => console.log("got " + text.toString().trim()));
      process.on("SIGINT", () => process.exit(130));
      console.log("ready");
    `);
    const running = await startProgram([], { program });
    expect(await running.waitForStdout((line) => line === "ready")).toBe("ready");
    running.write("hello\n");
    expect(await running.waitForStdout((line) => line.startsWith("got"))).toBe("got hello");
    running.kill("SIGINT");
    expect(await running.exit).toMatchObject({ code: 130, signal: null });
  });

  it("says what the process wrote when the awaited line never comes", async () => {
    const program = await writeProgram(`console.error("cannot start"); process.exit(1);`);
    const running = await startProgram([], { program });
    await expect(running.waitForStdout((line) => line === "ready")).rejects.toThrow(
      /no such line on stdout.*cannot start/s,
    );
  });
});

describe("what a test leaves behind", () => {
  const marker = randomUUID();
  let folder = "";
  let pids: readonly number[] = [];

  it("starts a process with a stubborn grandchild in a group of its own", async () => {
    folder = await temporaryFolder();
    const stubborn = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")`;
    const program = await writeProgram(`
      import { spawn } from "node:child_process";
      spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}, "${marker}"], { detached: true, stdio: "inherit" });
    `);
    const running = await startProgram([], { program });
    await running.waitForStdout((line) => line === "up");
    pids = [running.pid, ...childrenOf(running.pid)];
    expect(pids).toHaveLength(2);
    expect(processesWithMarker(marker)).toEqual(childrenOf(running.pid));
  });

  it("is gone when the next test begins", () => {
    expect(pids.filter(isRunning)).toEqual([]);
    expect(processesWithMarker(marker)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it("finds a process by a marker in its environment", async () => {
    const inEnv = randomUUID();
    const cwd = await temporaryFolder();
    const running = await startProcess(process.execPath, ["-e", "process.stdin.resume()"], {
      cwd,
      env: { MARK: inEnv },
    });
    await until(() => processesWithMarker(inEnv).includes(running.pid), { describe: "the marked process" });
    running.endStdin();
    await running.exit;
    expect(processesWithMarker(inEnv)).toEqual([]);
  });
});

describe("until", () => {
  it("says what it waited for", async () => {
    const waiting = until(() => false, { describe: "pigs to fly", withinMs: 1 });
    await expect(waiting).rejects.toThrow("waited 1 ms for pigs to fly, in vain");
  });
});

it.each([everythingPath, filesystemPath, memoryPath, sequentialThinkingPath, commandsPath])(
  "%s is there",
  async (path) => {
    expect(await readFile(path, "utf8")).toContain("import");
  },
);
