import { randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type Engine, fromAcpEntries, parseConfig } from "@tacklebox/core";
import { createRecordingLogger } from "@tacklebox/core/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { processesWithMarker, until } from "../support/processes.ts";
import { openRealEngine } from "../support/real-engine.ts";
import { releaseAfterwards } from "../support/release.ts";
import { filesystemPath, type HttpServer, startEverything } from "../support/servers.ts";
import { temporaryFolder } from "../support/workspace.ts";

let engine: Engine;
let dataFolder: string;
let everything: HttpServer;
const logger = createRecordingLogger();

beforeAll(async () => {
  dataFolder = await temporaryFolder();
  const parsed = parseConfig(JSON.stringify({ servers: {} }), { file: "x.json", env: {} });
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems));
  const host = await openRealEngine(dataFolder, parsed.config, { logger });
  engine = host.engine;
  await host.start();
  everything = await startEverything("streamableHttp");
});

interface EditorSession {
  readonly folder: string;
  readonly entries: readonly object[];
}

/** Opens a session as an editor would. */
async function open({ folder, entries }: EditorSession): Promise<string> {
  const { definitions, problems } = fromAcpEntries(entries, { cwd: folder });
  expect(problems).toEqual([]);
  const opened = await engine.sessions.open({ servers: definitions, folders: [folder] });
  if (opened.kind === "failed") throw new Error(opened.failure.message);
  return opened.value.id;
}

async function untilSettled(sessionId: string): Promise<void> {
  const settled = async () =>
    (await engine.servers.list({ sessionId })).every(({ status }) => status === "connected" || status === "error");
  await until(settled, { describe: "servers that are up or down" });
}

/**
 * Returns an entry for the filesystem server, which works in the session's roots; the marker makes its processes
 * findable.
 */
function files(marker: string, token: string): object {
  const env = [
    { name: "MARKER", value: marker },
    { name: "API_TOKEN", value: token },
  ];
  return { name: "files", command: process.execPath, args: [filesystemPath], env };
}

async function textOf(tool: string, args: Record<string, string>, sessionId: string): Promise<string> {
  return JSON.stringify(await engine.calls.make({ tool, arguments: args }, { sessionId }));
}

describe("two sessions that bring a server of the same name", () => {
  it("S3.23 S3.25 S3.28 each have their own process, working in their own folder with their own credentials", async () => {
    const marker = `m-${randomUUID()}`;
    const tokens = [`token-${randomUUID()}`, `token-${randomUUID()}`] as const;
    const [one, other] = [await temporaryFolder(), await temporaryFolder()];
    await writeFile(join(one, "note.txt"), "written by one");
    const a = await open({ folder: one, entries: [files(marker, tokens[0])] });
    const b = await open({ folder: other, entries: [files(marker, tokens[1])] });
    await Promise.all([untilSettled(a), untilSettled(b)]);
    expect(processesWithMarker(marker)).toHaveLength(2);
    await until(async () => (await textOf("list_allowed_directories", {}, a)).includes(one), { describe: "roots" });
    await until(async () => (await textOf("list_allowed_directories", {}, b)).includes(other), { describe: "roots" });
    expect(await textOf("list_allowed_directories", {}, b)).not.toContain(one);
    const path = join(one, "note.txt");
    expect(await textOf("read_text_file", { path }, a)).toContain("written by one");
    const refused = await textOf("read_text_file", { path }, b);
    expect(refused).toContain("tool-error");
    expect(refused).not.toContain("written by one");

    expect(await engine.sessions.close(a)).toBe(true);
    await until(() => processesWithMarker(marker).length === 1, { describe: "the end of one process" });
    expect(await textOf("list_allowed_directories", {}, b)).toContain(other);
    expect(await engine.sessions.remove(b)).toBe(true);
    await until(() => processesWithMarker(marker).length === 0, { describe: "the end of the other" });

    const kept = await Promise.all(
      (await readdir(dataFolder)).map((name) => readFile(join(dataFolder, name), "latin1")),
    );
    const written = kept.join("") + JSON.stringify(logger.lines);
    expect(tokens.filter((token) => written.includes(token))).toEqual([]);
    expect(written).toContain("list_allowed_directories");
  });
});

describe("a session whose servers are of every kind", () => {
  it("S3.2 S3.5 S3.16 has those that connect at once and does not wait for the others; none is left running", async () => {
    const marker = `m-${randomUUID()}`;
    const stalled = await startStalled();
    const folder = await temporaryFolder();
    const sessionId = await open({
      folder,
      entries: [
        files(marker, "t"),
        { type: "http", name: "everything", url: everything.url, headers: [] },
        { type: "http", name: "stalled", url: stalled.url, headers: [] },
        { type: "sse", name: "stalled too", url: stalled.url, headers: [] },
        { name: "nowhere", command: "no-such-command-at-all", args: [], env: [] },
      ],
    });
    const statuses = async () =>
      Object.fromEntries((await engine.servers.list({ sessionId })).map(({ key, status }) => [key, status]));
    await until(async () => (await statuses()).everything === "connected" && (await statuses()).files === "connected", {
      describe: "the servers that are there",
    });
    await until(async () => (await statuses()).nowhere === "error", { describe: "the command that is not there" });
    await until(() => stalled.sockets.size >= 2, { describe: "both to knock at the one that stalls" });
    expect(await textOf("echo", { message: "hello" }, sessionId)).toContain("hello");

    expect(await engine.sessions.close(sessionId)).toBe(true);
    await until(() => processesWithMarker(marker).length === 0, { describe: "no process" });
    await until(() => stalled.sockets.size === 0, { describe: "no socket to the one that stalls" });
    expect(await engine.tools.list({ sessionId })).toEqual([]);
  });
});

/** Starts a server that accepts every connection and never responds. */
async function startStalled(): Promise<{ url: string; sockets: ReadonlySet<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  releaseAfterwards(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return { url: `http://127.0.0.1:${address.port}/mcp`, sockets };
}
