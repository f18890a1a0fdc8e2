import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callLines } from "../support/call-lines.ts";
import { runProgram } from "../support/program.ts";
import {
  commandsPath,
  everythingPath,
  filesystemPath,
  memoryPath,
  sequentialThinkingPath,
  startEverything,
  startHttpFixture,
} from "../support/servers.ts";
import { fixtureServer, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

async function servers(config: string) {
  const { stdout } = await runProgram(["servers", "--json", "--config", config]);
  const { servers: list } = parsed(stdout);
  return list;
}

describe("real servers, through the built program", () => {
  it("S2.8 the reference servers connect, list and answer over stdio, the old protocol too", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "note.txt"), "written by a test");
    const config = await toolboxFile({
      toolbox: { collisions: "qualify" },
      servers: {
        everything: nodeServer(everythingPath),
        files: nodeServer(filesystemPath, folder),
        memory: { ...nodeServer(memoryPath), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
        thinking: nodeServer(sequentialThinkingPath),
        commands: nodeServer(commandsPath),
      },
    });
    expect(await servers(config)).toMatchObject([
      { name: "everything", status: "connected", protocol: "2025-11-25", tools: 13, quarantined: [] },
      { name: "files", status: "connected", protocol: "2025-11-25", tools: 14, quarantined: [] },
      { name: "memory", status: "connected", protocol: "2025-11-25", tools: 9, quarantined: [] },
      { name: "thinking", status: "connected", protocol: "2025-11-25", tools: 1, quarantined: [] },
      { name: "commands", status: "connected", protocol: "2024-11-05", tools: 1, quarantined: [] },
    ]);
    const thought = { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    const outcomes = await callLines(config, [
      { server: "everything", tool: "echo", arguments: { message: "hi" } },
      { server: "files", tool: "read_text_file", arguments: { path: join(folder, "note.txt") } },
      { server: "memory", tool: "read_graph" },
      { server: "thinking", tool: "sequentialthinking", arguments: thought },
      { server: "commands", tool: "run_command", arguments: { command: "echo from-2024" } },
    ]);
    expect(outcomes).toMatchObject([
      { text: "Echo: hi", is_error: false },
      { text: "written by a test" },
      { structured_content: { entities: [], relations: [] } },
      { status: "success" },
      { text: expect.stringContaining("from-2024") },
    ]);
  });

  it("D.5 a server that speaks 2026-07-28 is recognised over stdio and HTTP, and marked arguments reach its headers", async () => {
    const modern = await startHttpFixture("modern");
    const config = await toolboxFile({
      toolbox: { collisions: "qualify" },
      servers: { piped: fixtureServer("modern"), web: { url: modern.url } },
    });
    expect(await servers(config)).toMatchObject([
      { name: "piped", protocol: "2026-07-28", status: "connected" },
      { name: "web", protocol: "2026-07-28", status: "connected" },
    ]);
    const outcomes = await callLines(config, [
      { server: "piped", tool: "echo", arguments: { message: "new" } },
      { server: "web", tool: "add", arguments: { a: 1, b: 2 } },
      { server: "web", tool: "route", arguments: { region: "eu" } },
      { server: "web", tool: "fail" },
    ]);
    expect(outcomes).toMatchObject([
      { text: expect.stringContaining("new") },
      { structured_content: { sum: 3 } },
      { status: "success" },
      { status: "error", ending: "tool-error" },
    ]);
  });

  it("S1.46 D.3 the everything server over Streamable HTTP and SSE, exactly and by `http` alone", async () => {
    const [streamable, sse] = await Promise.all([startEverything("streamableHttp"), startEverything("sse")]);
    const config = await toolboxFile({
      servers: {
        streamable: { transport: "streamable-http", url: streamable.url },
        sse: { transport: "sse", url: sse.url },
        auto: { transport: "http", url: streamable.url },
        fallback: { transport: "http", url: sse.url },
      },
      toolbox: { collisions: "qualify" },
    });
    expect(await servers(config)).toMatchObject(
      ["streamable", "sse", "auto", "fallback"].map((name) => ({ name, status: "connected", protocol: "2025-11-25" })),
    );
    const sums = await callLines(
      config,
      ["streamable", "sse", "auto", "fallback"].map((server) => ({
        server,
        tool: "get-sum",
        arguments: { a: 2, b: 3 },
      })),
    );
    expect(sums).toMatchObject(Array.from({ length: 4 }, () => ({ text: expect.stringContaining("5") })));
  });

  it("D.3 an exact transport does not fall back to another", async () => {
    const sse = await startEverything("sse");
    const config = await toolboxFile({ servers: { exact: { transport: "streamable-http", url: sse.url } } });
    expect(await servers(config)).toMatchObject([{ status: "error", cause: expect.stringMatching(/^HTTP 404: /) }]);
  });

  it.each([
    ["bearer", { type: "bearer", token: "tok-123456" }, "authorization: Bearer tok-123456"],
    ["api-key", { type: "api-key", key: "key-123456" }, "x-api-key: key-123456"],
    [
      "basic",
      { type: "basic", username: "jürgen", password: "pässword" },
      `authorization: Basic ${Buffer.from("jürgen:pässword").toString("base64")}`,
    ],
  ])("S1.27 D.4 %s is on every request, over Streamable HTTP and SSE", async (_name, authentication, expected) => {
    const server = await startHttpFixture("http-auth", { EXPECT_HEADER: expected });
    const config = await toolboxFile({
      toolbox: { collisions: "qualify" },
      servers: {
        streamable: { transport: "streamable-http", url: server.url, authentication },
        sse: { transport: "sse", url: `${server.origin}/sse`, authentication },
      },
    });
    expect(await servers(config)).toMatchObject([{ status: "connected" }, { status: "connected" }]);
    expect(
      await callLines(config, [
        { server: "streamable", tool: "seen" },
        { server: "sse", tool: "seen" },
      ]),
    ).toMatchObject([
      { text: expect.stringContaining('"without":0') },
      { text: expect.stringContaining('"without":0') },
    ]);
  });

  it("S1.29 a refused sign-in is reported as such, without the token", async () => {
    const server = await startHttpFixture("http-auth", { EXPECT_HEADER: "authorization: Bearer right-token" });
    const config = await toolboxFile({
      servers: {
        auth: {
          transport: "streamable-http",
          url: server.url,
          authentication: { type: "bearer", token: "wrong-token-1" },
        },
      },
    });
    const { stdout, stderr } = await runProgram(["servers", "--json", "--config", config, "--log-level", "debug"]);
    expect(parsed(stdout).servers).toMatchObject([
      { status: "error", cause: expect.stringContaining("HTTP 401: Unauthorized") },
    ]);
    expect(stdout + stderr).not.toContain("wrong-token-1");
  });
});
