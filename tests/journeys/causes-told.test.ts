import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startEditor } from "../acp/support/editor.ts";
import { until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import type { RunningProcess } from "../support/running-process.ts";
import { fixturePath } from "../support/servers.ts";
import { runOnTerminal, startOnTerminal } from "../support/terminal.ts";
import { fixtureServer, logLines, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const node = (source: string, entry: object = {}) => ({ command: process.execPath, args: ["-e", source], ...entry });
const good = fixtureServer("probe");
const dead = node('console.error("no licence was found"); process.exit(2);', { reconnect: "never" });
const off = { command: "no-such-program", enabled: false };
const required = { command: "/no/such/program", required: true };

describe("check", () => {
  const check = async (servers: object, ...options: readonly string[]) => {
    const config = await toolboxFile({ servers });
    const { code, stdout } = await runProgram(["check", "--config", config, ...options]);
    return { code, stdout, last: stdout.trimEnd().split("\n").at(-1) };
  };

  it("names the servers that are down, counts disabled ones apart, and is ready all the same", async () => {
    expect(await check({ good, dead, gone: dead, off })).toMatchObject({
      code: 0,
      last: "Ready, but 2 of 3 servers are down: dead, gone. 1 server disabled: off. 2 tools may be called.",
    });
    expect(await check({ dead, gone: dead })).toMatchObject({
      code: 0,
      last: "Ready, but all 2 servers are down: dead, gone. 0 tools may be called.",
    });
    expect(await check({ good, off })).toMatchObject({
      code: 0,
      last: "Ready. 1 server disabled: off. 2 tools may be called.",
    });
  });

  it("exits 1 with --require-all if any enabled server is down", async () => {
    expect(await check({ good, dead, off }, "--require-all")).toMatchObject({
      code: 1,
      last: "Not ready: 1 of 2 servers is down: dead. 1 server disabled: off. 2 tools may be called.",
    });
    expect(await check({ good, off }, "--require-all")).toMatchObject({ code: 0 });
  });

  it("says the same as JSON", async () => {
    const ready = await check({ good, dead, off }, "--json");
    expect(parsed(ready.stdout)).toMatchObject({ ok: true, down: ["dead"], disabled: ["off"], problems: [] });
    const { code, stdout } = await check({ good, dead, off }, "--json", "--require-all");
    expect([code, parsed(stdout).ok]).toEqual([1, false]);
  });
});

describe("what keeps the toolbox from starting is told once", () => {
  const COMMANDS: readonly (readonly string[])[] = [
    ["check"],
    ["servers"],
    ["tools"],
    ["call", "good", "echo"],
    ["call", "--stdin"],
    ["run", "hello"],
    ["chat"],
    ["search", "echo"],
    ["why", "echo"],
  ];
  const times = (text: string) => text.match(/Failed to connect to MCP server 'required'/g)?.length;

  it.each(COMMANDS.map((command) => [command.join(" "), command] as const))("on a pipe: %s", async (_name, command) => {
    const config = await toolboxFile({ servers: { required, good } });
    for (const format of [[], ["--log-format", "text"], ["--log-format", "json"]]) {
      const { code, stderr } = await runProgram([...command, "--config", config, ...format], { stdin: "" });
      expect([code, format, times(stderr)]).toEqual([1, format, 1]);
      const isJson = format.includes("json");
      expect(stderr.includes("\nError: The command")).toBe(!isJson);
      expect(logLines(stderr).filter((line) => line.startsWith("error"))).toHaveLength(isJson ? 1 : 0);
    }
  });

  it.each([[["check"]], [["tools"]], [["run", "hello"]]])("on a terminal: %j", async (command) => {
    const config = await toolboxFile({ servers: { required, good } });
    const { screen } = await runOnTerminal([...command, "--config", config]);
    expect(times(screen)).toBe(1);
  });
});

describe("a server that cannot be reached is told at once, while another is still awaited", () => {
  const servers = { hung: node("setInterval(() => {}, 1000);", { timeout: 300 }), dead };

  it.each([["servers"], ["check"], ["run"]])("by %s", async (command) => {
    const config = await toolboxFile({ servers: command === "run" ? { ...servers, good } : servers });
    const args = command === "run" ? ["run", "say hello to everybody"] : [command];
    const session = await startOnTerminal([...args, "--config", config]);
    await session.sees("server 'dead' failed to connect: ", "no licence was found");
    if (command !== "run") await session.sees("hung, dead failed");
    session.kill("SIGINT");
    await session.exit;
  });

  it("by the chat", async () => {
    const config = await toolboxFile({ servers });
    const session = await startOnTerminal(["chat", "--config", config]);
    await session.sees("no licence was found");
    await until(() => session.lines().some((line) => line.includes("Connecting hung")), { describe: "the live row" });
    session.type("/quit\r");
    await session.exit;
  });
});

describe("a server that drops is a warning with the cause, and its return is told at level info", () => {
  const setUp = async () => {
    const pidLog = join(await temporaryFolder(), "pids");
    const server = { ...nodeServer(fixturePath("fault-stdio"), "tools"), env: { PID_LOG: pidLog } };
    const config = await toolboxFile({ servers: { fragile: server } });
    const kill = () => process.kill(Number(readFileSync(pidLog, "utf8").trim().split("\n").at(-1)), "SIGKILL");
    return { config, kill };
  };
  const seesDropAndReturn = async (program: RunningProcess) => {
    const dropped = await program.waitForStderr((line) => line.includes("went down"));
    expect(logLines(dropped)).toEqual([
      expect.stringMatching(/^warn mcp: server 'fragile' went down: The server process was ended by SIGKILL\./),
    ]);
    await until(
      () => logLines(program.stderr()).filter((line) => /^info .*'fragile' connected/.test(line)).length > 1,
      {
        describe: "its return",
      },
    );
  };

  it("under call --stdin", async () => {
    const { config, kill } = await setUp();
    const program = await startProgram(["call", "--stdin", "--config", config, "--log-level", "info"]);
    program.write('{"id":1,"server":"fragile","tool":"ping"}\n');
    await program.waitForStdout((line) => line.includes('"id":1'));
    kill();
    await seesDropAndReturn(program);
    await program.stop();
  });

  it("under acp", async () => {
    const { config, kill } = await setUp();
    const editor = await startEditor({ args: ["--config", config, "--log-level", "info"] });
    await editor.open(await temporaryFolder());
    await editor.program.waitForStderr((line) => line.includes("'fragile' connected"));
    kill();
    await seesDropAndReturn(editor.program);
    await editor.quit();
  });

  it("and one that is restarted because it ignored a cancelled call is told in these words", async () => {
    const server = { ...nodeServer(fixturePath("fault-stdio"), "tools"), default_tool_config: { timeout: 0.5 } };
    const config = await toolboxFile({ servers: { everything: server } });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write('{"id":1,"server":"everything","tool":"hold"}\n');
    const line = await program.waitForStderr((text) => text.includes("server 'everything' was"));
    expect(logLines(line)).toEqual(["warn mcp: server 'everything' was restarted: it ignored a cancelled call"]);
    await program.stop();
  });
});
