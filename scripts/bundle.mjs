// @ts-check
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run.mjs";

const target = join(root, "apps/tacklebox/dist");

/**
 * Packages the bundle leaves in node_modules: native addons that find their binaries beside themselves,
 * and a logger that starts worker files by path.
 */
const external = [/^@photostructure\/sqlite($|\/)/, /^@napi-rs\/keyring($|\/)/, /^pino($|\/)/, /^node:/];

/** Bundles the program into apps/tacklebox/dist. Dynamic imports stay separate files, read only by the commands that need them. */
export async function bundle() {
  // Imported here because this file is loaded before the packages are installed.
  const { build } = await import("rolldown");
  const { output } = await build({
    cwd: root,
    input: { main: join(root, "apps/tacklebox/src/main.ts") },
    platform: "node",
    external,
    // The CommonJS build of some packages cannot be bundled; their ES modules can.
    resolve: { mainFields: ["module", "main"] },
    logLevel: "warn",
    output: {
      dir: target,
      format: "esm",
      sourcemap: true,
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
    },
  });
  removeStaleChunks(new Set(output.map((file) => file.fileName)));
}

/**
 * Removed after the new files are in place, so that a program started meanwhile still finds its chunks.
 *
 * @param {ReadonlySet<string>} kept
 */
function removeStaleChunks(kept) {
  const chunks = join(target, "chunks");
  for (const name of readdirSync(join(target), { recursive: true, encoding: "utf8" })) {
    if (name.startsWith("chunks/") && !kept.has(name))
      rmSync(join(chunks, name.slice("chunks/".length)), { force: true });
  }
}
