// @ts-check
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run.mjs";

const main = join(root, "apps/tacklebox/src/main.ts");
export const assets = join(root, "packages/core/assets");
export const programFolder = join(root, "apps/tacklebox/dist");

/** Packages the bundle leaves in node_modules: native addons, which look for their binaries next to their own files. */
export const external = [/^@photostructure\/sqlite($|\/)/, /^@napi-rs\/keyring($|\/)/, /^node:/];

const KEEP = { function: true, class: true };

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
      // A worker is a file of its own. The module that starts it has a fixed place too, and looks for it in its own
      // folder.
      "validation/start-worker": join(root, "apps/tacklebox/src/validation/start-worker.ts"),
      // Also looks for its file in its own folder.
      "search/load-word-vectors": join(root, "apps/tacklebox/src/search/load-word-vectors.ts"),
      "validation/worker-entry": join(root, "apps/tacklebox/src/validation/worker-entry.ts"),
    },
    // The program is never imported, so its entry may share chunks with the other files.
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
      // Of comments only licences: the rest would be read at every start, and is in the sources.
      comments: { legal: true, annotation: false, jsdoc: false },
      // Every start reads all of it. Names are kept, so that a stack trace in a report of a bug can be read.
      minify: { compress: { keepNames: KEEP }, mangle: { keepNames: KEEP }, codegen: true },
      codeSplitting: { groups: [{ name: chooseChunk, debugName: "chunks", includeDependenciesRecursively: false }] },
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
    },
  });
  // The licence of the word vectors is copied along with them.
  cpSync(assets, join(target, "search"), { recursive: true });
  removeStaleChunks(target, new Set(output.map((file) => file.fileName)));
  return output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}

/**
 * Entry points of the code every command shares: all of them load it whole, so it is bundled into one file instead of
 * twenty.
 */
const sharedByCommands = [
  "apps/tacklebox/src/engine/with-engine.ts",
  "apps/tacklebox/src/compose-engine.ts",
  "apps/tacklebox/src/output/table.ts",
  "apps/tacklebox/src/output/unknown-server.ts",
  "packages/storage/src/sqlite/index.ts",
].map((file) => join(root, file));

/** Parts of the packages that only one or two commands need: they are bundled where they are used. */
const neededByFew = [
  "packages/core/src/toolbox/search/ranking/",
  "packages/core/src/toolbox/search/vectors/",
  "packages/core/src/toolbox/search/words/",
  "packages/core/src/config/import/",
  "packages/core/src/config/entries/from-acp-entry.ts",
  "packages/core/src/config/entries/from-app-record.ts",
].map((place) => join(root, place));

/**
 * Commands that answer before they load the engine, so what they share with it is bundled apart; for editors, as little
 * as possible.
 */
const answersEditor = join(root, "apps/tacklebox/src/commands/acp.ts");
const answersPerson = join(root, "apps/tacklebox/src/commands/chat.ts");

/**
 * Chooses the file a module is bundled into: `start` for all that even `--help` needs, `engine`, one of those needed
 * before the engine, or null for whatever the bundler chooses.
 *
 * @param {string} id
 * @param {{ getModuleInfo(id: string): { importedIds: readonly string[] } | null }} modules
 */
function chooseChunk(id, modules) {
  // `main` awaits its dynamic imports, so the modules they load must not wait for the file that contains it.
  if (id === main || neededByFew.some((place) => id.startsWith(place))) return null;
  if (reachableFrom([main], modules).has(id)) return "start";
  const isShared = reachableFrom(sharedByCommands, modules).has(id);
  if (reachableFrom([answersEditor], modules).has(id)) return isShared ? "before-engine" : "answers-editor";
  if (!isShared) return null;
  return reachableFrom([answersPerson], modules).has(id) ? "before-engine-of-chat" : "engine";
}

/**
 * Finds the modules reachable by static imports; a dynamic import starts a file that is loaded only when needed.
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
 * Removes old chunks only after the new files are in place, so that a program started in the meantime still finds its
 * chunks.
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
