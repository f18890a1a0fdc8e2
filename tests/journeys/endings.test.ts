import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { callLines } from "../support/call-lines.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { releaseAfterwards } from "../support/release.ts";
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
      text: `MCP error: Tool call denied: The tool setting is approval: deny (${config}:4). To allow it, change that setting`,
    });
    const asked = await runProgram(["call", "s", "b", "--json", "--config", config]);
    expect(asked.code).toBe(4);
    expect(parsed(asked.stdout).text).toMatch(
      /^MCP error: Tool call denied: it needs approval and nobody can answer here\./,
    );
  });

  it("sign-in-needed when a server no longer accepts our credentials", async () => {
    const server = await startForgetfulServer();
    const config = await toolboxFile({ servers: { web: { transport: "streamable-http", url: server.url } } });
    const { code, stdout } = await runProgram(["call", "web", "ping", "--json", "--config", config]);
    expect(code).toBe(3);
    expect(parsed(stdout)).toMatchObject({
      ending: "sign-in-needed",
      text: expect.stringMatching(
        /^MCP error: Server 'web' requires you to sign in: HTTP 401: Unauthorized\nThe server wants you to sign in.*tacklebox secret set WEB_TOKEN/,
      ),
    });
  });

  it("D.7 a lost session is renewed silently, and a server that is gone is unreachable", async () => {
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

  it("a data directory that cannot be written is reported at the start, and nothing is called", async () => {
    const file = await writeConfig(await temporaryFolder(), "not-a-folder", "x");
    const config = await toolboxFile({ servers: { s: fixtureServer("collide", { NAME: "s", TOOLS: "a" }) } });
    const { code, stderr } = await runProgram(["call", "s", "a", "--config", config], {
      env: { TACKLEBOX_DATA: file },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot open .*not-a-folder.*TACKLEBOX_DATA names another\.$/ms);
  });

  it("S1.50 arguments: bad JSON and a missing field are distinguished, and nothing is called", async () => {
    const config = await toolboxFile({ servers: { odd: fixtureServer("odd") } });
    const broken = await runProgram(["call", "odd", "big", "--args", "{oops", "--config", config]);
    expect(broken.code).toBe(2);
    const missing = await runProgram(["call", "odd", "big", "--args", "{}", "--config", config]);
    expect([missing.code, missing.stderr.includes("bytes")]).toEqual([3, true]);
    const piped = await runProgram(["call", "odd", "big", "--args", "-", "--config", config], { stdin: '{"bytes":3}' });
    expect(piped.code).toBe(0);
  });
});

/** Starts a server that lists one tool without credentials and then refuses every call of it. */
async function startForgetfulServer(): Promise<{ url: string }> {
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "forgetful", version: "1" },
    },
    "tools/list": { tools: [{ name: "ping", inputSchema: { type: "object" } }] },
  };
  const server = createServer(
    (request, response) => void text(request).then((body) => answer(body, request, response)),
  );
  const answer = (body: string, request: IncomingMessage, response: ServerResponse) => {
    const { id, method } = body === "" ? {} : parsed(body);
    if (method === "tools/call") return void response.writeHead(401).end();
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    const result = results[String(method)];
    const reply = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  releaseAfterwards(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return { url: `http://127.0.0.1:${address.port}/mcp` };
}
