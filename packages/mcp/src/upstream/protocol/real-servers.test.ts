import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Connection, Progress } from "@tacklebox/core";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createFetchExchange } from "../http/fetch-exchange.ts";
import { createHttpConnector } from "../http/http-connector.ts";
import { createNodeExchange } from "../http/node/node-exchange.ts";
import { createStdioConnector } from "../stdio/stdio-connector.ts";
import { callOf, clientInfo, definitionOf, neverAborted, observe, remote } from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { everything, type HttpReferenceServer, programOf, startEverything } from "../testing/reference-servers.ts";

const stdio = createStdioConnector({ clientInfo, environment: process.env });
const open: Connection[] = [];

afterEach(() => Promise.all(open.splice(0).map((connection) => connection.close())));

async function start(program: string, ...args: string[]): Promise<Connection> {
  const launch = { transport: "stdio", command: process.execPath, args: [program, ...args], env: {} } as const;
  const connection = await stdio.open(definitionOf(launch), observe().options, neverAborted());
  open.push(connection);
  return connection;
}

describe("reference servers over stdio", () => {
  it("everything: lists, calls, reports progress and in-band errors", async () => {
    const connection = await start(everything);
    expect(connection.info).toMatchObject({ era: "legacy", protocolVersion: "2025-11-25", transport: "stdio" });
    expect((await connection.listTools(neverAborted())).entries.length).toBeGreaterThan(10);
    const echoed = await connection.callTool(callOf("echo", { arguments: { message: "hi" } })).answer;
    expect(echoed).toEqual({ content: [{ type: "text", text: "Echo: hi" }], isError: false });
    expect((await connection.callTool(callOf("echo")).answer).isError).toBe(true);
    const steps: Progress[] = [];
    const long = callOf("trigger-long-running-operation", {
      arguments: { duration: 0.2, steps: 2 },
      onProgress: (progress) => void steps.push(progress),
    });
    await connection.callTool(long).answer;
    expect(steps.map(({ progress, total }) => [progress, total])).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it("filesystem: reads a file in the folder it was given", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "files-"));
    writeFileSync(path.join(folder, "note.txt"), "remember");
    const connection = await start(programOf("@modelcontextprotocol/server-filesystem", "dist/index.js"), folder);
    const call = callOf("read_text_file", { arguments: { path: path.join(folder, "note.txt") } });
    expect((await connection.callTool(call).answer).structuredContent).toEqual({ content: "remember" });
    rmSync(folder, { recursive: true });
  });

  it("commands: speaks the first revision", async () => {
    const connection = await start(programOf("mcp-server-commands", "build/index.js"));
    expect(connection.info).toMatchObject({ era: "legacy", protocolVersion: "2024-11-05" });
    const { content } = await connection.callTool(callOf("run_command", { arguments: { command: "echo ahoy" } }))
      .answer;
    expect(JSON.stringify(content)).toContain("ahoy");
  });
});

describe.each([
  ["streamableHttp", "streamable-http"],
  ["sse", "sse"],
] as const)("the everything server over %s", (mode, transport) => {
  let server: HttpReferenceServer;
  let url: string;

  beforeAll(async () => {
    server = await startEverything(mode);
    ({ url } = server);
  });
  afterAll(() => server.kill());

  it.each([
    ["node:http", createNodeExchange()],
    ["fetch", createFetchExchange()],
  ])("is found through http, listed and called with %s", async (_name, exchange) => {
    const observed = observe();
    const connector = createHttpConnector({ exchange, clientInfo });
    const connection = await connector.open(remote("http", url), observed.options, neverAborted());
    open.push(connection);
    expect(connection.info).toMatchObject({ era: "legacy", transport });
    expect((await connection.listTools(neverAborted())).entries.length).toBeGreaterThan(10);
    const calls = Array.from(
      { length: 20 },
      (_, i) => connection.callTool(callOf("echo", { arguments: { message: `n${i}` } })).answer,
    );
    const texts = (await Promise.all(calls)).map(({ content }) => content[0]?.text);
    expect(texts).toEqual(Array.from({ length: 20 }, (_, i) => `Echo: n${i}`));
    const steps: Progress[] = [];
    const long = callOf("trigger-long-running-operation", {
      arguments: { duration: 0.2, steps: 2 },
      onProgress: (progress) => void steps.push(progress),
    });
    await connection.callTool(long).answer;
    expect(steps).toHaveLength(2);
    expect(observed.closed).toEqual([]);
  });

  it("interrupts a call at once when the server is killed", async () => {
    const observed = observe();
    const connector = createHttpConnector({ exchange: createNodeExchange(), clientInfo });
    const connection = await connector.open(remote("http", url), observed.options, neverAborted());
    open.push(connection);
    const started = vi.fn();
    const call = connection.callTool(
      callOf("trigger-long-running-operation", { arguments: { duration: 30, steps: 30 }, onProgress: started }),
    );
    await eventually(() => expect(started).toHaveBeenCalled());
    server.kill();
    await expect(call.answer).rejects.toMatchObject({ code: "interrupted" });
    await call.finished;
  });
});
