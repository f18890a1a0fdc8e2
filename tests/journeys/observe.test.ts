import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { gaugeEvents, untilStarted } from "../support/gauge-log.ts";
import { until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

describe("call --stdin --metrics", () => {
  it("S4.37 tool_usage counts the calls that ran and their execution time alone, tool_calls_total every ending", async () => {
    const config = await toolboxFile({
      toolbox: { tools: [{ name: "slow", max_instances: 1 }] },
      servers: { gauge: fixtureServer("gauge") },
    });
    const program = await startProgram(["call", "--stdin", "--metrics", "0", "--config", config]);
    const url = (await program.waitForStderr((line) => line.startsWith("Metrics at "))).slice("Metrics at ".length);
    const slow = '{"tool":"slow","arguments":{"ms":150}}\n';
    program.write(`${slow.repeat(4)}{"tool":"gauge"}\n{"tool":"slow"}\n{"tool":"nowhere"}\n`);
    const outcomes = await until(
      () => {
        const lines = program.stdout().split("\n").slice(0, -1).map(parsed);
        return lines.length === 7 && lines;
      },
      { describe: "seven answers" },
    );
    const text = await (await fetch(url)).text();
    expect(text).toContain("# HELP tool_usage Summary of tool usage\n# TYPE tool_usage summary\n");
    expect(text.match(/^tool_usage_count.*/gm)?.sort()).toEqual([
      'tool_usage_count{tool_name="gauge"} 1',
      'tool_usage_count{tool_name="slow"} 4',
    ]);
    expect(text.match(/^tool_calls_total.*/gm)?.sort()).toEqual([
      'tool_calls_total{server="",ending="unknown-tool"} 1',
      'tool_calls_total{server="gauge",ending="invalid-arguments"} 1',
      'tool_calls_total{server="gauge",ending="success"} 5',
    ]);

    // Calls ran one at a time, so callers also waited for the executions of others, which the metric must not count.
    const waited = outcomes.filter(({ tool }) => tool === "slow").map(({ duration_ms }) => Number(duration_ms));
    const executed = Number(/^tool_usage_sum\{tool_name="slow"\} (.*)$/m.exec(text)?.[1]);
    expect(executed).toBeGreaterThan(4 * 0.14);
    expect(executed * 1000).toBeLessThan(waited.reduce((sum, ms) => sum + ms, 0));
    program.endStdin();
    expect((await program.exit).code).toBe(0);
  });

  it("serves nothing but /metrics, to 127.0.0.1 alone, and refuses a taken port", async () => {
    const config = await toolboxFile({ servers: { gauge: fixtureServer("gauge") } });
    const program = await startProgram(["call", "--stdin", "--metrics", "0", "--config", config]);
    const line = await program.waitForStderr((text) => text.startsWith("Metrics at "));
    const { port } = new URL(line.slice("Metrics at ".length));
    expect(line).toBe(`Metrics at http://127.0.0.1:${port}/metrics`);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/calls`)).status).toBe(404);
    // A socket bound to all addresses would answer at every address of the loopback network.
    await expect(fetch(`http://127.0.0.2:${port}/metrics`)).rejects.toThrow();
    await expect(fetch(`http://[::1]:${port}/metrics`)).rejects.toThrow();

    const second = await runProgram(["call", "--stdin", "--metrics", port, "--config", config]);
    expect(second).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `Cannot serve metrics on 127.0.0.1:${port}: the port is taken. Choose another --metrics PORT, or 0 for any.\n`,
    });
  });
});

describe("calls", () => {
  it("shows what was called, newest first, as a table and as JSON, filtered; no server is started for it", async () => {
    const data = join(await temporaryFolder(), "data");
    const env = { TACKLEBOX_DATA: data };
    const config = await toolboxFile({
      servers: { odd: fixtureServer("odd"), one: fixtureServer("collide", { TOOLS: "c", NAME: "one" }) },
    });
    expect((await runProgram(["calls"], { env })).stdout).toBe(
      "No calls are recorded yet. `tacklebox call` makes one.\n",
    );
    for (const [server, tool] of [
      ["one", "c"],
      ["odd", "fail"],
      ["odd", "structured"],
    ] as const)
      await runProgram(["call", server, tool, "--config", config], { env });

    const table = await runProgram(["calls"], { env });
    expect(table.code).toBe(0);
    expect(table.stdout.trimEnd().split("\n").map(withoutTimes)).toEqual([
      "ID STARTED SERVER TOOL STATUS RAN WAITED FROM ERROR",
      "odd structured success - cli",
      "odd fail tool-error - cli it broke",
      "one c success - cli",
    ]);
    const records = await callRecords(data);
    expect(records).toMatchObject([
      { server: "odd", tool: "structured", status: "success" },
      { server: "odd", tool: "fail", shown_name: "fail", status: "error", ending: "tool-error", error: "it broke" },
      { server: "one", tool: "c", arguments: {}, result: { content: [{ type: "text", text: "one:c" }] } },
    ]);
    const tools = async (...filters: string[]) => (await callRecords(data, ...filters)).map(({ tool }) => tool);
    expect(await tools("--server", "odd")).toEqual(["structured", "fail"]);
    expect(await tools("--tool", "c")).toEqual(["c"]);
    expect(await tools("--status", "error")).toEqual(["fail"]);
    expect(await tools("--server", "odd", "--status", "success")).toEqual(["structured"]);
    expect(await tools("--limit", "1")).toEqual(["structured"]);
    expect(await tools("--server", "nobody")).toEqual([]);
  });
});

describe("a server that goes away", () => {
  it("killed between calls it comes back by itself, and the next call works", async () => {
    const { program, log } = await startGauge();
    program.write(slow(1, 1));
    await program.waitForStdout((line) => parsed(line).id === 1);
    await killServer(log);
    await untilConnected(program, 2);
    program.write(slow(2, 1));
    await program.waitForStdout((line) => parsed(line).id === 2);
    program.endStdin();
    const { code, stdout } = await program.exit;
    expect(code).toBe(0);
    expect(stdout.trim().split("\n").map(parsed)).toMatchObject([{ status: "success" }, { status: "success" }]);
    const pids = (await gaugeEvents(log)).filter(({ event }) => event === "start").map(({ pid }) => pid);
    expect(new Set(pids).size).toBe(2);
  });

  it("killed in the middle of a call, the call is interrupted and never repeated", async () => {
    const { program, log } = await startGauge();
    program.write(slow(1, 10_000_000));
    await untilStarted(log, 1);
    await killServer(log);
    const answer = parsed(await program.waitForStdout(() => true));
    expect(answer).toMatchObject({ id: 1, status: "error", ending: "interrupted" });
    await untilConnected(program, 2);
    program.write('{"id":2,"tool":"gauge"}\n');
    const seen = parsed(await program.waitForStdout((line) => parsed(line).id === 2));
    expect(seen.text).toContain('"slow":{"now":0,"peak":0,"total":0,"cancelled":0}');
    program.endStdin();
    await program.exit;
    expect(await gaugeEvents(log)).toMatchObject([{ event: "start", tool: "slow" }]);
  });

  it("a server that is slow to connect is reported as slow; the others connect meanwhile", async () => {
    const config = await toolboxFile({
      servers: {
        mute: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] },
        gauge: fixtureServer("gauge"),
      },
    });
    const program = await startProgram(["servers", "--config", config, "--log-level", "info"]);
    const line = await program.waitForStderr((text) => text.includes("'mute' is slow"));
    expect(parsed(line)).toMatchObject({
      level: "info",
      server: "mute",
      msg: "MCP server 'mute' is slow: no answer after 3 s, still waiting",
    });
    await program.waitForStderr((text) => text.includes("mcp: server 'gauge' connected (4 tools)"));
    program.kill("SIGINT");
    expect((await program.exit).code).toBe(130);
  });

  async function startGauge() {
    const log = join(await temporaryFolder(), "gauge.jsonl");
    const config = await toolboxFile({
      toolbox: { tools: [{ name: "slow", timeout: "PT10H" }] },
      servers: { gauge: fixtureServer("gauge", { GAUGE_LOG: log }) },
    });
    return { log, program: await startProgram(["call", "--stdin", "--config", config]) };
  }

  async function killServer(log: string): Promise<void> {
    const [first] = await gaugeEvents(log);
    if (first === undefined) throw new Error("the server has written nothing");
    process.kill(first.pid, "SIGKILL");
  }

  async function untilConnected(program: { stderr(): string }, times: number): Promise<void> {
    const connected = () => program.stderr().split("mcp: server 'gauge' connected").length - 1;
    await until(() => connected() >= times, { describe: `connection number ${times}` });
  }
});

function slow(id: number, ms: number): string {
  return `${JSON.stringify({ id, tool: "slow", arguments: { ms } })}\n`;
}

/** Returns a row of the calls table without its start time and duration. */
function withoutTimes(row: string): string {
  return row
    .replace(/^\S+ +\d{4}-\S+Z/, "")
    .replace(/\d+\.\d{3} s/, "")
    .replace(/\s+/g, " ")
    .trim();
}
