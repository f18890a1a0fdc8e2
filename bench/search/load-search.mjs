// @ts-check
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assets } from "../../scripts/bundle.mjs";
import { ensureInstalled } from "../../scripts/install.mjs";
import { root } from "../run/places.mjs";

/** @typedef {{ id: string, server?: string | null, name?: string | null, title?: string | null, description?: string | null, inputSchema?: object | null }} ListedTool */
/** @typedef {{ search(query: string | null | undefined, k?: number): string[] }} Engine the interface scorers expect */

/**
 * Bundles the search from the current sources and loads it. Every process makes its own bundle, so that scorers can run
 * at any time, also in parallel.
 *
 * @returns {Promise<typeof import("../../packages/core/src/index.ts")>}
 */
async function loadCore() {
  await ensureInstalled();
  const { build } = await import(pathToFileURL(createRequire(join(root, "package.json")).resolve("rolldown")).href);
  const folder = mkdtempSync(join(tmpdir(), "tacklebox-search-"));
  try {
    await build({
      cwd: root,
      input: { core: join(root, "packages/core/src/index.ts") },
      platform: "node",
      resolve: { mainFields: ["module", "main"] },
      logLevel: "warn",
      output: { dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
    });
    return await import(pathToFileURL(join(folder, "core.mjs")).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const core = await loadCore();

export function loadVectors() {
  const vectors = core.parseStaticVectors(readFileSync(join(assets, "word-vectors.bin")));
  if (vectors === undefined) throw new Error("The word vectors are broken.");
  return vectors;
}

/**
 * @param {readonly ListedTool[]} tools
 * @param {ReturnType<typeof loadVectors>} [vectors]
 * @returns {Engine}
 */
export function createEngine(tools, vectors) {
  const search = core.createToolSearch();
  // Tool lists come from many sources, and fields are often missing.
  for (const { id, server, name, title, description, inputSchema } of tools)
    search.set(id, {
      server: server ?? "",
      name: name ?? "",
      ...(title && { title }),
      description: description ?? "",
      inputSchema: /** @type {import("../../packages/core/src/index.ts").JsonSchema} */ (inputSchema ?? {}),
    });
  if (vectors !== undefined) search.useVectors(vectors);
  return { search: (query, k = 10) => search.search(query ?? "", { limit: k }).map(({ id }) => id) };
}
