// @ts-check
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { external } from "../../scripts/bundle.mjs";
import { ensureBuilt, ensureInstalled, npmProgram } from "../../scripts/prepare.mjs";
import { runNode } from "../../scripts/run.mjs";
import { bench, hostFile, root } from "./places.mjs";

/** Builds the program and the bench host, which is the same engine without the command line. */
export async function buildOurs() {
  await ensureInstalled();
  await ensureBuilt();
  // The program's own bundler: a peer may have brought another version into bench/node_modules.
  const { build } = await import(pathToFileURL(createRequire(join(root, "package.json")).resolve("rolldown")).href);
  const folder = dirname(hostFile);
  rmSync(folder, { recursive: true, force: true });
  await build({
    cwd: root,
    input: {
      host: join(bench, "host/host.ts"),
      "acp-chunks": join(bench, "host/acp-chunks.ts"),
      // The engine finds its worker beside itself, here as in the program.
      "validation/start-worker": join(root, "apps/tacklebox/src/validation/start-worker.ts"),
      "validation/worker-entry": join(root, "apps/tacklebox/src/validation/worker-entry.ts"),
    },
    platform: "node",
    external,
    resolve: { mainFields: ["module", "main"] },
    logLevel: "warn",
    output: { dir: folder, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
  });
}

/**
 * Installs the peers unless they are there. They are no part of the workspaces, so that nobody who uses or tests
 * tacklebox has to load them.
 *
 * @returns {Promise<string | undefined>} why they are missing, or undefined when they are there
 */
export async function installPeers() {
  const stamp = join(bench, "node_modules/.tacklebox-stamp");
  const wanted = createHash("sha256")
    .update(readFileSync(join(bench, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return undefined;
  process.stderr.write("Installing the programs to compare with (once) ...\n");
  const args = ["--prefix", bench, "install", "--no-save", "--no-fund", "--no-audit", "--loglevel=error"];
  const { code, output } = await runNode([npmProgram(), ...args], { capture: true });
  if (code !== 0) return `npm install ended with code ${code}: ${output.trim().split("\n").at(-1)}`;
  writeFileSync(stamp, wanted);
  return undefined;
}
