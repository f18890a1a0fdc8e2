import { describe, expect, it } from "vitest";
import { callLines } from "../support/call-lines.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

describe("how calls end, through the built program", () => {
  it("reports every ending a server can cause, and records each", async () => {
    const data = await temporaryFolder();
    const config = await toolboxFile({
      toolbox: { tools: [{ name: "hang", timeout: 0.3 }] },
      servers: { odd: fixtureServer("odd") },
    });
    const outcomes = await callLines(
      config,
      [
        { tool: "fail" },
        { tool: "rpc_error" },
        { tool: "garbage" },
        { tool: "hang" },
        { tool: "big", arguments: { bytes: 17 * 1024 * 1024 } },
        { tool: "big", arguments: { bytes: "many" } },
        { tool: "nothing_like_it" },
        { tool: "progress", arguments: { steps: 3 } },
      ],
      { TACKLEBOX_DATA: data },
    );
    expect(outcomes.map(({ ending }) => ending)).toEqual([
      "tool-error",
      "protocol-error",
      "protocol-error",
      "timed-out",
      "oversize",
      "invalid-arguments",
      "unknown-tool",
      undefined,
    ]);
    expect(outcomes[5]).toMatchObject({
      problems: [{ path: "/bytes" }],
      text: expect.stringMatching(/^MCP error: Invalid arguments for tool 'big': \/bytes: /),
    });
    const { stdout } = await runProgram(["calls", "--json", "--config", config], { env: { TACKLEBOX_DATA: data } });
    const { calls } = parsed(stdout);
    expect(calls).toHaveLength(8);
    expect(calls).toContainEqual(
      expect.objectContaining({ tool: "fail", status: "error", ending: "tool-error", error: "it broke" }),
    );
    expect(calls).toContainEqual(expect.objectContaining({ tool: "progress", status: "success" }));
  });

  it("an oversize answer fails that call only", async () => {
    const config = await toolboxFile({ servers: { odd: fixtureServer("odd") } });
    const outcomes = await callLines(config, [
      { tool: "big", arguments: { bytes: 20 * 1024 * 1024 } },
      { tool: "progress", arguments: { steps: 2 } },
      { tool: "structured" },
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["error", "success", "success"]);
  });

  it("denied: exit 4, by approval deny and by ask with nobody to ask (D.9)", async () => {
    const config = await toolboxFile({
      toolbox: {
        tools: [
          { name: "a", approval: "deny" },
          { name: "b", approval: "ask" },
        ],
      },
      servers: { s: fixtureServer("collide", { NAME: "s", TOOLS: "a,b" }) },
    });
    const denied = await runProgram(["call", "s", "a", "--json", "--config", config]);
    expect(denied.code).toBe(4);
    expect(parsed(denied.stdout)).toMatchObject({
      ending: "denied",
      text: "MCP error: Tool call denied: The tool setting is approval: deny",
    });
    const asked = await runProgram(["call", "s", "b", "--json", "--config", config]);
    expect(asked.code).toBe(4);
    expect(parsed(asked.stdout).text).toMatch(
      /^MCP error: Tool call denied: it needs approval and nobody can answer here\./,
    );
  });

  it("sign-in-needed and unreachable over HTTP; a lost session is renewed without anyone noticing (D.7)", async () => {
    const server = await startHttpFixture("http-tools", { TOOLS: "ping" });
    const config = await toolboxFile({ servers: { web: { url: server.url } } });

    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write('{"id":1,"tool":"ping"}\n');
    await program.waitForStdout((line) => line.includes('"id":1'));
    await fetch(`${server.origin}/control/forget-sessions`);
    program.write('{"id":2,"tool":"ping"}\n');
    expect(parsed(await program.waitForStdout((line) => line.includes('"id":2')))).toMatchObject({
      status: "success",
      text: "ping ok",
    });
    await server.stop();
    program.write('{"id":3,"tool":"ping"}\n');
    expect(parsed(await program.waitForStdout((line) => line.includes('"id":3')))).toMatchObject({
      status: "error",
      ending: "unreachable",
    });
    program.endStdin();
    expect((await program.exit).code).toBe(0);
  });

  it("log-unavailable: a data directory that cannot be written is said at the start", async () => {
    const file = await writeConfig(await temporaryFolder(), "not-a-folder", "x");
    const config = await toolboxFile({ servers: { s: fixtureServer("collide", { NAME: "s", TOOLS: "a" }) } });
    const { code, stderr } = await runProgram(["call", "s", "a", "--config", config], {
      env: { TACKLEBOX_DATA: file },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot open .*not-a-folder.*TACKLEBOX_DATA names another\.$/ms);
  });

  it("S1.50 arguments: bad JSON and a missing field are told apart, and nothing is called", async () => {
    const config = await toolboxFile({ servers: { odd: fixtureServer("odd") } });
    const broken = await runProgram(["call", "odd", "big", "--args", "{oops", "--config", config]);
    expect(broken.code).toBe(2);
    const missing = await runProgram(["call", "odd", "big", "--args", "{}", "--config", config]);
    expect([missing.code, missing.stderr.includes("bytes")]).toEqual([3, true]);
    const piped = await runProgram(["call", "odd", "big", "--args", "-", "--config", config], { stdin: '{"bytes":3}' });
    expect(piped.code).toBe(0);
  });
});
