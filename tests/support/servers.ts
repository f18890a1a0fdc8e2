import { createRequire } from "node:module";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { freePort } from "@tacklebox/mcp/testing";
import { until } from "./processes.ts";
import { type RunningProcess, startProcess } from "./running-process.ts";
import { temporaryFolder } from "./workspace.ts";

const require = createRequire(import.meta.url);

export const everythingPath = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
export const filesystemPath = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
export const memoryPath = require.resolve("@modelcontextprotocol/server-memory/dist/index.js");
export const sequentialThinkingPath = require.resolve("@modelcontextprotocol/server-sequential-thinking/dist/index.js");
export const gitPath = require.resolve("@cyanheads/git-mcp-server/index.js");
export const commandsPath = require.resolve("mcp-server-commands/build/index.js");

export type StdioFixture =
  | "collide"
  | "empty"
  | "fault-stdio"
  | "gauge"
  | "ledger"
  | "many"
  | "mirror"
  | "modern"
  | "odd"
  | "office"
  | "probe"
  | "shifty";
export type HttpFixture = "fault-http" | "gauge" | "http-auth" | "http-tools" | "modern";

/** Returns the built program of a fixture, to be run with `process.execPath`. */
export function fixturePath(name: StdioFixture | HttpFixture): string {
  return fileURLToPath(new URL(`../dist/fixtures/${name}.mjs`, import.meta.url));
}

export interface HttpServer {
  readonly url: string;
  /** The address without a path. */
  readonly origin: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts one of our HTTP fixtures on a free port. `url` is its Streamable HTTP address; `${origin}/sse` the old
 * transport's.
 */
export async function startHttpFixture(
  name: HttpFixture,
  env: Readonly<Record<string, string>> = {},
): Promise<HttpServer> {
  const server = await startNode([fixturePath(name), "http"], env);
  const line = await server.waitForStdout((text) => text.startsWith("listening "));
  return toHttpServer(server, line.slice("listening ".length));
}

/** Starts the reference server on a free port and waits until it accepts connections. */
export async function startEverything(transport: "streamableHttp" | "sse"): Promise<HttpServer> {
  const port = await freePort();
  const server = await startNode([everythingPath, transport], { PORT: String(port) });
  let exited = false;
  void server.exit.then(() => {
    exited = true;
  });
  await until(
    () => {
      if (exited) throw new Error(`server-everything ended before it listened on port ${port}: ${server.stderr()}`);
      return accepts(port);
    },
    { describe: `server-everything to listen on port ${port}` },
  );
  return toHttpServer(server, `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`);
}

async function startNode(args: readonly string[], env: Readonly<Record<string, string>>): Promise<RunningProcess> {
  const cwd = await temporaryFolder();
  return startProcess(process.execPath, args, { cwd, env: { PATH: process.env.PATH ?? "", HOME: cwd, ...env } });
}

function toHttpServer(server: RunningProcess, url: string): HttpServer {
  return {
    url,
    origin: new URL(url).origin,
    pid: server.pid,
    async stop() {
      await server.stop();
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
