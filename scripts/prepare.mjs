// @ts-check
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { assets, bundle, programFolder } from "./bundle.mjs";
import { root, say } from "./run.mjs";

const lockFile = join(root, "package-lock.json");
const programEntry = join(programFolder, "main.js");
const buildStamp = join(programFolder, ".stamp");

/** Bundles the program unless its sources are unchanged since the last bundle. Throws when bundling fails. */
export async function ensureBuilt() {
  const wanted = hashOf(programSources());
  if (existsSync(programEntry) && readIfThere(buildStamp) === wanted) return;
  say("Building tacklebox ...");
  await bundle(programFolder, { maps: true });
  mkdirSync(dirname(buildStamp), { recursive: true });
  writeFileSync(buildStamp, wanted);
}

function programSources() {
  const workspaces = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  const sources = workspaces.flatMap((workspace) => [
    join(workspace, "package.json"),
    ...filesUnder(join(workspace, "src")),
  ]);
  return [...sources, ...filesUnder(assets), join(root, "scripts/bundle.mjs"), lockFile].filter((file) =>
    existsSync(file),
  );
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** @param {readonly string[]} files */
function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

/** @param {string} file */
function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
