// @ts-check
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run.mjs";

const main = join(root, "apps/tacklebox/src/main.ts");
export const assets = join(root, "packages/core/assets");
export const programFolder = join(root, "apps/tacklebox/dist");

/** Packages the bundle leaves in node_modules: native addons that find their binaries beside themselves. */
export const external = [/^@photostructure\/sqlite($|\/)/, /^@napi-rs\/keyring($|\/)/, /^node:/];

/**
 * Bundles the program. Dynamic imports stay separate files, read only by the commands that need them.
 *
 * @param {string} target
 * @param {{ maps: boolean }} options
 * @returns {Promise<readonly string[]>} the files it was made of
 */
export async function bundle(target, { maps }) {
  // Imported here because this file is loaded before the packages are installed.
  const { build } = await import("rolldown");
  const { output } = await build({
    cwd: root,
    input: {
      main,
      // A worker is a file of its own; whoever starts it has a fixed place too, so that it finds it beside itself.
      "validation/start-worker": join(root, "apps/tacklebox/src/validation/start-worker.ts"),
      // Finds its file beside itself as well.
      "search/load-word-vectors": join(root, "apps/tacklebox/src/search/load-word-vectors.ts"),
      "validation/worker-entry": join(root, "apps/tacklebox/src/validation/worker-entry.ts"),
    },
    // Nobody imports the program, so its entry may share parts with the other files.
    preserveEntrySignatures: false,
    platform: "node",
    external,
    // The CommonJS build of some packages cannot be bundled; their ES modules can, and they load faster.
    resolve: { mainFields: ["module", "main"], alias: { yaml: join(root, "node_modules/yaml/browser/index.js") } },
    logLevel: "warn",
    output: {
      dir: target,
      format: "esm",
      sourcemap: maps,
      codeSplitting: { groups: [{ name: chooseChunk, debugName: "chunks", includeDependenciesRecursively: false }] },
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
    },
  });
  // The licence of the weights goes where the weights go.
  cpSync(assets, join(target, "search"), { recursive: true });
  removeStaleChunks(target, new Set(output.map((file) => file.fileName)));
  return output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}

/** Where what every command shares begins: each of them loads all that these import, so it is one file and not twenty. */
const sharedByCommands = [
  "apps/tacklebox/src/engine/lend.ts",
  "apps/tacklebox/src/open-engine.ts",
  "apps/tacklebox/src/output/table.ts",
  "apps/tacklebox/src/output/unknown-server.ts",
  "packages/storage/src/sqlite/index.ts",
].map((file) => join(root, file));

/** Of what the packages offer, this is for one command or two: it goes where it is used. */
const neededByFew = [
  "packages/core/src/catalog/search/",
  "packages/core/src/config/import/",
  "packages/core/src/config/entries/from-acp-entry.ts",
  "packages/core/src/config/entries/from-app-record.ts",
].map((place) => join(root, place));

/** They answer before they load the engine, so what they share with the engine is in files of its own: least for editors. */
const answersEditor = join(root, "apps/tacklebox/src/commands/acp.ts");
const answersPerson = join(root, "apps/tacklebox/src/commands/chat.ts");

/**
 * Which file a module goes to: `start` with all that even `--help` needs, `engine`, those of an early
 * answer, or one the bundler chooses.
 *
 * @param {string} id
 * @param {{ getModuleInfo(id: string): { importedIds: readonly string[] } | null }} modules
 */
function chooseChunk(id, modules) {
  // It waits for what it imports dynamically, so nothing of that may wait for the file it is in.
  if (id === main || neededByFew.some((place) => id.startsWith(place))) return null;
  if (reachableFrom([main], modules).has(id)) return "start";
  const isShared = reachableFrom(sharedByCommands, modules).has(id);
  if (reachableFrom([answersEditor], modules).has(id)) return isShared ? "before-engine" : "answers-editor";
  if (!isShared) return null;
  return reachableFrom([answersPerson], modules).has(id) ? "before-engine-of-chat" : "engine";
}

/**
 * Without dynamic imports, which are what keeps the rest out of the way.
 *
 * @param {readonly string[]} roots
 * @param {{ getModuleInfo(id: string): { importedIds: readonly string[] } | null }} modules
 */
function reachableFrom(roots, modules) {
  const found = new Set(roots);
  for (const id of found) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/**
 * Removed after the new files are in place, so that a program started meanwhile still finds its chunks.
 *
 * @param {string} target
 * @param {ReadonlySet<string>} kept
 */
function removeStaleChunks(target, kept) {
  const chunks = join(target, "chunks");
  for (const name of readdirSync(join(target), { recursive: true, encoding: "utf8" })) {
    if (name.startsWith("chunks/") && !kept.has(name))
      rmSync(join(chunks, name.slice("chunks/".length)), { force: true });
  }
}
