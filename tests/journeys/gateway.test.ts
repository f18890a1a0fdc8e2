import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { everythingPath, startHttpFixture } from "../support/servers.ts";
import { fixtureServer, logLines, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";

function gateway(servers: object): Promise<string> {
  return toolboxFile({ tools: { mcp_servers: servers } });
}

async function call(config: string, server: string, tool: string, args: object = {}) {
  const exit = await runProgram(["call", server, tool, "--args", JSON.stringify(args), "--json", "--config", config]);
  return { ...exit, outcome: exit.stdout === "" ? {} : parsed(exit.stdout) };
}

describe("S2: servers from a file become first-class tools", () => {
  it("S2.1 S2.4 every tool of every server is there under its name, description and parameters", async () => {
    const config = await gateway({ everything: nodeServer(everythingPath) });
    const { stdout } = await runProgram(["tools", "--json", "--config", config]);
    expect(parsed(stdout).tools).toContainEqual(
      expect.objectContaining({
        name: "echo",
        server: "everything",
        description: "Echoes back the input string",
        input_schema: expect.objectContaining({ type: "object", required: ["message"] }),
      }),
    );
  });

  it("S2.3 S2.5 stdio is the default transport; http reaches a Streamable endpoint", async () => {
    const http = await startHttpFixture("http-tools", { TOOLS: "ping" });
    const config = await gateway({
      local: { ...fixtureServer("collide", { NAME: "local", TOOLS: "pong" }), cwd: null },
      api: { transport: "http", url: http.url },
    });
    expect((await call(config, "local", "pong")).outcome).toMatchObject({ text: "local:pong" });
    expect((await call(config, "api", "ping")).outcome).toMatchObject({ text: "ping ok" });
  });

  it("S2.6 the example loads unchanged: a missing token is reported, with its position", async () => {
    const file = fileURLToPath(new URL("../../examples/dialects/s2-gateway.yaml", import.meta.url));
    expect(await readFile(file, "utf8")).toContain("mcp-server-github");
    const { code, report } = await checkExample(file);
    expect(code).toBe(0);
    expect(report).toMatchObject({ ok: true, servers: [{ name: "github", status: "error" }, { name: "myapi" }] });
    const withoutToken = await runProgram(["check", "--config", file]);
    expect(withoutToken.code).toBe(1);
    expect(withoutToken.stderr).toMatch(
      /s2-gateway\.yaml:8:23\nThe environment variable 'GITHUB_TOKEN', used by server 'github', is not set\./,
    );
  });

  it("S2.9 T2.6 a server that cannot connect is a warning, and the rest goes on", async () => {
    const config = await gateway({
      dead: { command: "no-such-command-anywhere" },
      alive: fixtureServer("collide", { NAME: "alive", TOOLS: "a" }),
    });
    const { code, stdout, stderr } = await runProgram(["tools", "--json", "--config", config]);
    expect([code, parsed(stdout)]).toMatchObject([0, { tools: [{ server: "alive", name: "a" }] }]);
    expect(logLines(stderr)).toEqual([
      expect.stringMatching(/^warn mcp: server 'dead' failed to connect: .*no-such-command-anywhere/),
    ]);
    expect(await call(config, "alive", "a")).toMatchObject({ code: 0, outcome: { text: "alive:a" } });
  });

  it("S2.10 a failed call is an error result that begins `MCP error: `", async () => {
    const config = await gateway({ odd: fixtureServer("odd") });
    const { code, outcome } = await call(config, "odd", "rpc_error");
    expect(code).toBe(3);
    expect(outcome).toMatchObject({
      is_error: true,
      status: "error",
      ending: "protocol-error",
      text: "MCP error: MCP Error -32050: no luck",
    });
    const plain = await runProgram(["call", "odd", "rpc_error", "--config", config]);
    expect(plain.stderr).toContain("MCP error: MCP Error -32050: no luck");
  });

  it("D.8 an in-band error keeps the server's own text", async () => {
    const config = await gateway({ odd: fixtureServer("odd") });
    const { code, outcome } = await call(config, "odd", "fail");
    expect(code).toBe(3);
    expect(outcome).toMatchObject({ is_error: true, ending: "tool-error", text: "it broke" });
  });

  it("S2.11 a server that dies in the middle of a call is the same error result, with its last words", async () => {
    const config = await gateway({ odd: fixtureServer("odd") });
    const { code, outcome } = await call(config, "odd", "die");
    expect(code).toBe(3);
    expect(outcome).toMatchObject({
      is_error: true,
      ending: "interrupted",
      text: expect.stringMatching(/^MCP error: Server 'odd' went away before it answered; the call may have run\. /),
    });
    expect(outcome.text).toContain("dying on purpose");
  });

  it("S2.12 an unknown transport is an error, not a skipped server", async () => {
    const { code, stderr } = await runProgram([
      "check",
      "--config",
      await gateway({ odd: { transport: "carrier-pigeon", url: "http://localhost:1" } }),
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/tacklebox\.yaml:\d+:\d+\nUnknown transport: carrier-pigeon\. Use one of: stdio, http/);
  });

  it("T2.5 D.25 results without text are never empty", async () => {
    const config = await gateway({ odd: fixtureServer("odd") });
    expect((await call(config, "odd", "image")).outcome.text).toMatch(/^\[image, image\/png, \d+ bytes\]$/);
    expect((await call(config, "odd", "structured")).outcome.text).toMatch(/^\{.*\}$/);
    expect((await call(config, "odd", "unknown_block")).outcome).toMatchObject({ status: "success" });
  });
});

async function checkExample(file: string) {
  const { code, stdout } = await runProgram(["check", "--json", "--config", file], {
    env: { GITHUB_TOKEN: "unused-token", PATH: "/nowhere" },
  });
  return { code, report: parsed(stdout) };
}
