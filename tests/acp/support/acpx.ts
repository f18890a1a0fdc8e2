import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killQuietly, processesWithMarker } from "../../support/processes.ts";
import { builtProgram } from "../../support/program.ts";
import { releaseAfterwards } from "../../support/release.ts";
import { type Exit, startProcess } from "../../support/running-process.ts";
// biome-ignore lint/correctness/useImportExtensions: its types are beside it in a file with another extension
import { findNode, installLocked } from "../../support/scripts.mjs";
import { temporaryFolder, writeConfig } from "../../support/workspace.ts";

const folder = fileURLToPath(new URL("../acpx", import.meta.url));
const modules = join(folder, "node_modules");

/** The oldest Node version acpx runs on, which is newer than what Tacklebox needs. */
const NEEDED = [22, 13] as const;

export type PreparedAcpx =
  | { readonly kind: "ready"; readonly node: string }
  | { readonly kind: "missing"; readonly why: string };

/**
 * Installs acpx, and a Node for it if this one is too old, unless already installed: neither is part of the workspaces.
 */
export async function prepareAcpx(): Promise<PreparedAcpx> {
  const node = isNewEnough(process.versions.node) ? process.execPath : await findNode("24");
  if (typeof node !== "string" && node.kind === "missing") return node;
  const why = await installLocked(folder, "acpx");
  if (why !== undefined) return { kind: "missing", why: `it is not installed, and ${why}` };
  return { kind: "ready", node: typeof node === "string" ? node : node.file };
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

export interface Acpx {
  /** Runs one command of acpx to its end. */
  run(...args: readonly string[]): Promise<Exit>;
  /** Set in the environment of every process it starts. */
  readonly mark: string;
}

/** Sets up acpx on that Node with a new home, the built program as its agent, and these servers. */
export async function createAcpx(node: string, mcpServers: readonly object[]): Promise<Acpx> {
  const home = await temporaryFolder();
  const cwd = join(home, "work");
  await mkdir(cwd);
  const config = await writeConfig(home, "mcp.json", JSON.stringify({ mcpServers }));
  const env = { PATH: process.env.PATH ?? "", HOME: home, TACKLEBOX_DATA: join(home, "data") };
  const agent = `${process.execPath} ${builtProgram} acp`;
  const common = [join(modules, "acpx/dist/cli.js"), "--agent", agent, "--mcp-config", config, "--cwd", cwd];
  // acpx keeps a process running for a while after a prompt.
  releaseAfterwards(async () => {
    processesWithMarker(home).forEach(killQuietly);
  });
  return {
    mark: home,
    run: async (...args) => (await startProcess(node, [...common, ...args], { cwd, env })).exit,
  };
}
