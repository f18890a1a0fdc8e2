// @ts-check
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { external } from "../../scripts/bundle.mjs";
import { ensureInstalled, installLocked } from "../../scripts/install.mjs";
import { ensureBuilt } from "../../scripts/prepare.mjs";
import { bench, hostFile, root } from "./places.mjs";

/** Builds the program, and the bench host, which is the same engine without the command line. */
export async function buildOurs() {
  await ensureInstalled();
  await ensureBuilt();
  // Resolved from the root, because a peer may have brought another version into bench/node_modules.
  const { build } = await import(pathToFileURL(createRequire(join(root, "package.json")).resolve("rolldown")).href);
  const folder = dirname(hostFile);
  rmSync(folder, { recursive: true, force: true });
  await build({
    cwd: root,
    input: {
      host: join(bench, "host/host.ts"),
      "acp-chunks": join(bench, "host/acp-chunks.ts"),
      // The engine looks for its worker next to its own file, here as in the program.
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
 * Installs the peers unless they are installed. They are not in a workspace, so that using or testing tacklebox does
 * not require downloading them.
 *
 * @returns {Promise<string | undefined>} why they could not be installed, or undefined when they are installed
 */
export async function installPeers() {
  return installLocked(bench, "the programs to compare with");
}
