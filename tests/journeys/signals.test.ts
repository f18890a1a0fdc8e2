import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { gaugeEvents, untilStarted } from "../support/gauge-log.ts";
import { childrenOf, processesWithMarker, until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { type RunningProcess, startProcess } from "../support/running-process.ts";
import { fixturePath } from "../support/servers.ts";
import { fixtureServer, logLines, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const HOURS = 10_000_000;

interface GaugeSetup {
  readonly config: string;
  readonly data: string;
  /** Set in the environment of every server process of this setup. */
  readonly marker: string;
  readonly log: string;
}

/** Sets up one gauge server, whose log shows its calls. */
async function setUpGauge(data?: string): Promise<GaugeSetup> {
  const folder = await temporaryFolder();
  const marker = newMarker();
  const log = join(folder, "gauge.jsonl");
  const config = await toolboxFile({
    toolbox: { tools: [{ name: "slow", timeout: "PT10H" }] },
    servers: { gauge: fixtureServer("gauge", { GAUGE_LOG: log, MARKER: marker }) },
  });
  return { config, marker, log, data: data ?? join(folder, "data") };
}

function newMarker(): string {
  return `marker-${crypto.randomUUID()}`;
}

function startLines({ config, data }: GaugeSetup): Promise<RunningProcess> {
  return startProgram(["call", "--stdin", "--config", config], { env: { TACKLEBOX_DATA: data } });
}

function slow(id: number, ms: number): string {
  return `${JSON.stringify({ id, tool: "slow", arguments: { ms } })}\n`;
}

function answers(stdout: string): Record<string, unknown>[] {
  const lines = stdout.split("\n").slice(0, -1).map(parsed);
  return lines.sort((a, b) => Number(a.id) - Number(b.id));
}

describe("ending call --stdin", () => {
  it("SIGTERM stops reading, lets running calls end and answers them, exit 0, no child left", async () => {
    const setup = await setUpGauge();
    const program = await startLines(setup);
    program.write(slow(1, 500) + slow(2, 700));
    await untilStarted(setup.log, 2);
    program.kill("SIGTERM");
    const { code, stdout } = await program.exit;
    expect(code).toBe(0);
    expect(answers(stdout)).toMatchObject([
      { id: 1, status: "success", text: "slow waited 500 ms" },
      { id: 2, status: "success", text: "slow waited 700 ms" },
    ]);
    expect(processesWithMarker(setup.marker)).toEqual([]);
    expect(await callRecords(setup.data)).toMatchObject([{ status: "success" }, { status: "success" }]);
  });

  it("SIGINT ends running calls as cancelled, here and at the server, exit 130, no child left", async () => {
    const setup = await setUpGauge();
    const program = await startLines(setup);
    program.write(slow(1, HOURS) + slow(2, HOURS));
    await untilStarted(setup.log, 2);
    program.kill("SIGINT");
    const { code, stdout } = await program.exit;
    expect(code).toBe(130);
    expect(answers(stdout)).toMatchObject([
      { id: 1, status: "error", ending: "cancelled" },
      { id: 2, status: "error", ending: "cancelled" },
    ]);
    expect(processesWithMarker(setup.marker)).toEqual([]);
    expect((await gaugeEvents(setup.log)).filter(({ event }) => event === "cancel")).toHaveLength(2);
    const cancelled = { status: "error", ending: "cancelled", completed_at: expect.any(String) };
    expect(await callRecords(setup.data)).toMatchObject([cancelled, cancelled]);
  });

  it("SIGINT after SIGTERM cancels the calls that were still allowed to end", async () => {
    const setup = await setUpGauge();
    const program = await startLines(setup);
    program.write(slow(1, HOURS));
    await untilStarted(setup.log, 1);
    program.kill("SIGTERM");
    program.kill("SIGINT");
    const { code, stdout } = await program.exit;
    expect(code).toBe(130);
    expect(answers(stdout)).toMatchObject([{ id: 1, ending: "cancelled" }]);
    expect(processesWithMarker(setup.marker)).toEqual([]);
  });

  it("a second SIGINT ends the program at once, without waiting for stubborn servers", async () => {
    const marker = newMarker();
    const config = await toolboxFile({ servers: { deaf: unstoppableServer(marker) } });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write('{"id":1,"tool":"hang"}\n{"id":2,"tool":"image"}\n');
    await program.waitForStdout((line) => parsed(line).id === 2);
    program.kill("SIGINT");
    await program.waitForStdout((line) => parsed(line).ending === "cancelled");
    program.kill("SIGINT");
    expect((await program.exit).code).toBe(130);
    await until(() => processesWithMarker(marker).length === 0, { describe: "the server to be gone" });
  });

  it("the end of input waits for running calls", async () => {
    const setup = await setUpGauge();
    const { code, stdout } = await runProgram(["call", "--stdin", "--config", setup.config], {
      stdin: slow(1, 400) + slow(2, 10),
    });
    expect(code).toBe(0);
    expect(answers(stdout)).toMatchObject([
      { id: 1, status: "success" },
      { id: 2, status: "success" },
    ]);
    expect(processesWithMarker(setup.marker)).toEqual([]);
  });

  it("a reader that goes away ends it quietly, cancels what runs and leaves no child", async () => {
    const setup = await setUpGauge();
    const program = await startPiped('"$@" | head -n 1; echo "exit ${PIPESTATUS[0]}" >&2', setup);
    program.write(slow(1, 1) + slow(2, HOURS));
    await untilStarted(setup.log, 2);
    await program.waitForStdout((line) => parsed(line).id === 1);
    // head has its line and has ended; the next answer has no reader.
    await until(() => childrenOf(program.pid).length === 1, { describe: "head to end" });
    program.write(slow(3, 1));
    const { stdout, stderr } = await program.exit;
    expect(answers(stdout)).toMatchObject([{ id: 1, status: "success" }]);
    expect(stderr.split("\n").filter((line) => !line.startsWith('{"level":"info"'))).toEqual(["exit 0", ""]);
    expect(processesWithMarker(setup.marker)).toEqual([]);
    const records = await callRecords(setup.data);
    expect(records.filter(({ status }) => status === "running")).toEqual([]);
    expect(records.filter(({ ending }) => ending === "cancelled")).toHaveLength(1);
  });
});

describe("ending other commands", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s during a single call: cancelled, recorded, exit 130, no child left",
    async (signal) => {
      const setup = await setUpGauge();
      const program = await startProgram(
        ["call", "gauge", "slow", "--args", JSON.stringify({ ms: HOURS }), "--config", setup.config],
        { env: { TACKLEBOX_DATA: setup.data } },
      );
      await untilStarted(setup.log, 1);
      program.kill(signal);
      const { code, stdout } = await program.exit;
      expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
      expect(processesWithMarker(setup.marker)).toEqual([]);
      expect(await callRecords(setup.data)).toMatchObject([{ status: "error", ending: "cancelled", tool: "slow" }]);
    },
  );

  it.each([
    ["SIGINT", ["servers"], 130],
    ["SIGTERM", ["servers"], 130],
    ["SIGINT", ["call", "--stdin"], 130],
    ["SIGTERM", ["call", "--stdin"], 0],
  ] as const)("%s while a server of `%s` still connects: exit %i, no child left", async (signal, command, expected) => {
    const marker = newMarker();
    const mute = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], env: { MARKER: marker } };
    const config = await toolboxFile({ servers: { mute } });
    const program = await startProgram([...command, "--config", config]);
    await until(() => processesWithMarker(marker).length > 0, { describe: "the server to start" });
    program.kill(signal);
    expect((await program.exit).code).toBe(expected);
    expect(processesWithMarker(marker)).toEqual([]);
  });
});

describe("a program that is killed", () => {
  it("the next start marks its calls interrupted and leaves those of a running program alone", async () => {
    const data = join(await temporaryFolder(), "data");
    const [killed, living] = await Promise.all([setUpGauge(data), setUpGauge(data)]);
    const [first, second] = await Promise.all([startLines(killed), startLines(living)]);
    first.write(slow(1, HOURS));
    second.write(slow(2, HOURS + 1));
    await Promise.all([untilStarted(killed.log, 1), untilStarted(living.log, 1)]);
    first.kill("SIGKILL");
    await first.exit;
    await until(() => processesWithMarker(killed.marker).length === 0, { describe: "its server to end by itself" });

    const next = await runProgram(["tools", "--config", living.config], { env: { TACKLEBOX_DATA: data } });
    expect(next.code).toBe(0);
    expect(logLines(next.stderr)).toEqual([
      "warn Calls left open by a process that died, now marked as interrupted: 1",
    ]);
    const interrupted = { arguments: { ms: HOURS }, status: "error", ending: "interrupted" };
    const records = await callRecords(data);
    expect(byDuration(records)).toMatchObject([interrupted, { arguments: { ms: HOURS + 1 }, status: "running" }]);

    second.kill("SIGINT");
    await second.exit;
    expect(byDuration(await callRecords(data))).toMatchObject([interrupted, { status: "error", ending: "cancelled" }]);
  });
});

describe("servers that do not end", () => {
  it("a grandchild that holds the server's stdout is gone with it", async () => {
    const marker = newMarker();
    const config = await toolboxFile({ servers: { wrapped: shellServer('sleep 100000 & "$0" "$1" stdio', marker) } });
    const { code, stdout } = await runProgram(["call", "wrapped", "structured", "--json", "--config", config]);
    expect(code).toBe(0);
    expect(parsed(stdout)).toMatchObject({ status: "success" });
    expect(processesWithMarker(marker)).toEqual([]);
  });

  it("a server that dies in a call with a grandchild on its stdout: interrupted, nothing left", async () => {
    const marker = newMarker();
    const config = await toolboxFile({ servers: { wrapped: shellServer('sleep 100000 & "$0" "$1" stdio', marker) } });
    const { code, stdout } = await runProgram(["call", "wrapped", "die", "--json", "--config", config]);
    expect(code).toBe(3);
    expect(parsed(stdout)).toMatchObject({ ending: "interrupted" });
    expect(processesWithMarker(marker)).toEqual([]);
  });

  it("a server that ignores the end of its input and SIGTERM is killed", async () => {
    const marker = newMarker();
    const config = await toolboxFile({ servers: { deaf: unstoppableServer(marker) } });
    const { code, stdout } = await runProgram(["call", "deaf", "structured", "--json", "--config", config]);
    expect(code).toBe(0);
    expect(parsed(stdout)).toMatchObject({ status: "success" });
    expect(processesWithMarker(marker)).toEqual([]);
  });
});

/** Runs the odd fixture inside a shell script, which gets Node as $0 and the fixture as $1. */
function shellServer(script: string, marker: string) {
  return { command: "sh", args: ["-c", script, process.execPath, fixturePath("odd")], env: { MARKER: marker } };
}

function unstoppableServer(marker: string) {
  return shellServer('trap "" TERM; "$0" "$1" stdio; while :; do sleep 1; done', marker);
}

function byDuration(records: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return [...records].sort((a, b) => JSON.stringify(a.arguments).localeCompare(JSON.stringify(b.arguments)));
}

/** Runs `call --stdin` as "$@" of a bash script, so that another process reads its output. */
async function startPiped(script: string, { config, data }: GaugeSetup): Promise<RunningProcess> {
  const cwd = await temporaryFolder();
  const built = fileURLToPath(new URL("../../apps/tacklebox/dist/main.js", import.meta.url));
  const program = process.env.TACKLEBOX_PROGRAM ?? built;
  const args = ["-c", script, "bash", process.execPath, program, "call", "--stdin", "--config", config];
  const env = { PATH: process.env.PATH ?? "", HOME: cwd, TACKLEBOX_DATA: data };
  return startProcess("bash", args, { cwd, env });
}
