import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startEditor } from "../acp/support/editor.ts";
import { startModel } from "../acp/support/model.ts";
import { callLines } from "../support/call-lines.ts";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { isRunning, until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { answer, calls, linesOf, modelText, ofType } from "../support/run-lines.ts";
import { everythingPath } from "../support/servers.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer, logLines, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

/**
 * Servers may take longer to connect than a test may take. A command that waits for a silent one fails its test, so that
 * it ends at all is the proof that it did not wait.
 */
const LONGER_THAN_A_TEST = { timeout: "PT5M" };

const ok = (tools = "echo") => fixtureServer("collide", { NAME: "ok", TOOLS: tools });

/** Writes its process id into the file, then never says anything. */
function silentServer(pidFile: string) {
  const script = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1e3)`;
  return { command: process.execPath, args: ["-e", script], ...LONGER_THAN_A_TEST };
}

/** Does nothing until the gate exists; then runs the command, or ends. */
function gatedServer(gate: string, then: string) {
  const script = `const { existsSync } = require("fs"); const wait = setInterval(() => {
    if (!existsSync(${JSON.stringify(gate)})) return;
    clearInterval(wait);
    ${then}
  }, 20)`;
  return { command: process.execPath, args: ["-e", script], ...LONGER_THAN_A_TEST };
}

function lateServer(gate: string, name: string, tools: string) {
  const { args, env } = fixtureServer("collide", { NAME: name, TOOLS: tools });
  return { ...gatedServer(gate, `import(${JSON.stringify(args[0])})`), env };
}

async function setUp() {
  const folder = await temporaryFolder();
  const pidFile = join(folder, "pid");
  return {
    silent: silentServer(pidFile),
    gate: join(folder, "gate"),
    open: (gate: string) => writeFile(gate, ""),
    wasStarted: () => existsSync(pidFile),
    pid: () => until(async () => Number(await readFile(pidFile, "utf8").catch(() => "")), { describe: "its pid" }),
  };
}

describe("a silent optional server", () => {
  it.each([
    ["call ok echo", "ok:echo"],
    ["tools --server ok", "echo"],
    ["why echo --server ok", "callable as echo"],
    ["trust ok", "Nothing to accept"],
    ["prompts --server ok", "No server offers prompts."],
    ["resources --server ok", "No server offers resources."],
  ])("F5: `%s` answers, and the silent server is not even started", async (command, expected) => {
    const { silent, wasStarted } = await setUp();
    const config = await toolboxFile({ servers: { silent, ok: ok() } });
    const { code, stdout } = await runProgram([...command.split(" "), "--config", config]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(expected)]);
    expect(wasStarted()).toBe(false);
  });

  it("F5: `read` and `prompts SERVER NAME` answer, and the silent server is not even started", async () => {
    const { silent, wasStarted } = await setUp();
    const config = await toolboxFile({ servers: { silent, ok: nodeServer(everythingPath) } });
    const uri = "demo://resource/static/document/features.md";
    const read = await runProgram(["read", "ok", uri, "--config", config]);
    expect([read.code, read.stdout.split("\n", 1)]).toEqual([0, ["# Everything Server - Features"]]);
    const filled = await runProgram(["prompts", "ok", "args-prompt", "--arg", "city=Lisbon", "--config", config]);
    expect([filled.code, filled.stdout]).toEqual([0, "user:\nWhat's weather in Lisbon?\n"]);
    expect(wasStarted()).toBe(false);
  });

  it("F5: `call --stdin` answers a line for another server, and leaves no process behind at its end", async () => {
    const { silent, pid } = await setUp();
    const config = await toolboxFile({ servers: { silent, ok: ok() } });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write('{"id":1,"server":"ok","tool":"echo"}\n');
    const line = parsed(await program.waitForStdout((text) => text.includes('"id":1')));
    expect(line).toMatchObject({ status: "success", server: "ok" });
    const silentPid = await pid();
    program.endStdin();
    expect((await program.exit).code).toBe(0);
    await until(() => !isRunning(silentPid), { describe: "the silent server to be gone" });
  });

  it("F5: `run` works a prompt to its end with the other server's tools, and tells the model what is missing", async () => {
    const { silent, pid } = await setUp();
    const vendor = await startScriptedVendor("openai chat", [calls(["echo", {}]), answer("Done.")]);
    const models = { m: modelEntry("openai chat", vendor.url) };
    const config = await toolboxFile({ models, servers: { silent, ok: ok() } });
    const { code, stdout } = await runProgram(["run", "do it", "--json", "--config", config]);
    const lines = linesOf(stdout);
    expect([code, modelText(lines)]).toEqual([0, "Done."]);
    expect(ofType(lines, "call-ended")).toMatchObject([{ server: "ok", tool: "echo", status: "success" }]);
    expect(JSON.stringify(vendor.requests[0]?.body)).toContain("MCP servers that are still connecting: 'silent'");
    const silentPid = await pid();
    await until(() => !isRunning(silentPid), { describe: "the silent server to be gone" });
  });

  it("F5: `chat` answers a prompt with the other server's tools, from a pipe and on a terminal", async () => {
    const { silent } = await setUp();
    const turns = [calls(["echo", {}]), answer("Done."), calls(["echo", {}]), answer("Done again.")];
    const vendor = await startScriptedVendor("openai chat", turns);
    const models = { m: modelEntry("openai chat", vendor.url) };
    const config = await toolboxFile({ models, servers: { silent, ok: ok() } });
    const piped = await runProgram(["chat", "--config", config], { stdin: "do it\n" });
    expect([piped.code, piped.stdout]).toEqual([0, expect.stringContaining("Done.")]);

    const chat = await startOnTerminal(["chat", "--approve", "auto", "--config", config]);
    await chat.sees("› ");
    chat.type("do it\r");
    await chat.sees("Done again.");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });

  it("F5: an editor's prompt is answered with the other server's tools", async () => {
    const { silent } = await setUp();
    const { model, file } = await startModel({ servers: { silent, ok: ok() } });
    const editor = await startEditor({ args: ["--config", file] });
    const { sessionId } = await editor.open(await temporaryFolder(), []);
    model.says("hello", "hi");
    expect((await editor.prompt(sessionId, "hello")).stopReason).toBe("end_turn");
    expect(model.requests("hello").join()).toContain('"echo"');
    await editor.prompt(sessionId, "/mcp");
    expect(editor.agentText(sessionId)).toMatch(/\*\*silent\*\*[^\n]* connecting/);
  });

  it("F5: a required server that is down still ends the start with the text of S4.18", async () => {
    const command = join(await temporaryFolder(), "missing");
    const config = await toolboxFile({ servers: { down: { command, required: true }, ok: ok() } });
    for (const args of [
      ["call", "ok", "echo"],
      ["tools", "--server", "ok"],
      ["call", "--stdin"],
      ["run", "hi"],
    ]) {
      const { code, stdout, stderr } = await runProgram([...args, "--config", config]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("Failed to connect to MCP server 'down'");
      expect(stderr).toContain("The application cannot start without connecting to all configured MCP servers.");
    }
  });
});

describe("a line for a server that is still coming", () => {
  it("F5: a line waits for the server it names, and for no other", async () => {
    const { silent, gate, open } = await setUp();
    const config = await toolboxFile({ servers: { silent, late: lateServer(gate, "late", "find"), ok: ok() } });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write('{"id":1,"server":"late","tool":"find"}\n{"id":2,"server":"ok","tool":"echo"}\n');
    await program.waitForStdout((line) => line.includes('"id":2'));
    expect(program.stdout()).not.toContain('"id":1');
    await open(gate);
    const line = parsed(await program.waitForStdout((text) => text.includes('"id":1')));
    expect(line).toMatchObject({ status: "success", server: "late" });
    await program.stop();
  });

  it("F5: a line ends as unreachable, with the cause, when the server does not come up, and the log says so at once", async () => {
    const { silent, gate, open } = await setUp();
    const dying = gatedServer(gate, 'console.error("no licence"); process.exitCode = 7');
    const config = await toolboxFile({ servers: { silent, dying, ok: ok() } });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write('{"id":1,"server":"dying","tool":"find"}\n{"id":2,"server":"ok","tool":"echo"}\n');
    await program.waitForStdout((line) => line.includes('"id":2'));
    await open(gate);
    const line = parsed(await program.waitForStdout((text) => text.includes('"id":1')));
    expect(line).toMatchObject({ status: "error", ending: "unreachable" });
    expect(line.error).toMatch(/^Server 'dying' is down: [\s\S]*no licence/);
    await program.waitForStderr((text) => text.includes("mcp: server 'dying' failed to connect"));
    expect(logLines(program.stderr())).toContainEqual(expect.stringMatching(/^warn mcp: server 'dying' failed/));
    await program.stop();
  });

  it("F5: a line is answered as cancelled when the program is interrupted", async () => {
    const { silent, pid } = await setUp();
    const config = await toolboxFile({ servers: { silent } });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write('{"id":1,"server":"silent","tool":"find"}\n');
    await pid();
    program.kill("SIGINT");
    const { code, stdout } = await program.exit;
    expect([code, parsed(stdout)]).toEqual([130, expect.objectContaining({ id: 1, ending: "cancelled" })]);
  });

  it("F5: a line that names only a tool goes to the same server as when all are up, however late that one is", async () => {
    const { gate, open } = await setUp();
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const late = lateServer(gate, "late", "find,seek");
    for (const servers of [
      { late, ok: ok("echo,find") },
      { ok: ok("echo,find"), late },
    ]) {
      const file = await toolboxFile({ servers, toolbox: { collisions: "qualify" } });
      await open(gate);
      const [whenUp] = await callLines(file, [{ tool: "find" }], env);
      await rm(gate);
      const program = await startProgram(["call", "--stdin", "--config", file], { env });
      program.write('{"id":1,"tool":"echo"}\n{"id":2,"tool":"find"}\n{"id":3,"tool":"seek"}\n');
      await program.waitForStdout((line) => line.includes('"id":1'));
      await open(gate);
      const find = parsed(await program.waitForStdout((line) => line.includes('"id":2')));
      const seek = parsed(await program.waitForStdout((line) => line.includes('"id":3')));
      expect([find.server, seek.server]).toEqual([whenUp?.server, "late"]);
      await program.stop();
    }
  });
});

it("F5: a server that drops under `call --stdin` is a warning", async () => {
  const gate = join(await temporaryFolder(), "gate");
  const { command, args } = gatedServer(gate, "process.exit(3)");
  const { args: fixture, env } = ok();
  const servers = { ok: { command, args: [args[0], `import(${JSON.stringify(fixture[0])}); ${args[1]}`], env } };
  const program = await startProgram(["call", "--stdin", "--config", await toolboxFile({ servers })]);
  program.write('{"id":1,"server":"ok","tool":"echo"}\n');
  await program.waitForStdout((line) => line.includes('"id":1'));
  await writeFile(gate, "");
  const line = await program.waitForStderr((text) => text.includes("server 'ok' went down"));
  expect(logLines(line)).toEqual([expect.stringMatching(/^warn mcp: server 'ok' went down: /)]);
  await program.stop();
});
