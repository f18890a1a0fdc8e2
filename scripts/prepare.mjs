// @ts-check
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { assets, bundle } from "./bundle.mjs";
import { root, runNode, say } from "./run.mjs";

const lockFile = join(root, "package-lock.json");
const installStamp = join(root, "node_modules/.tacklebox-stamp");
const programEntry = join(root, "apps/tacklebox/dist/main.js");
const buildStamp = join(root, "apps/tacklebox/dist/.stamp");

/** Installs what package-lock.json asks for unless it is there already. Throws when npm fails. */
export async function ensureInstalled() {
  const wanted = hashOf([lockFile]);
  if (readIfThere(installStamp) === wanted) return;
  if (!installedMatchesLock()) {
    say("Installing packages (once, about a minute) ...");
    // Not `npm ci`: it refuses a lock that leaves out optional packages of other platforms. This keeps to the lock as well.
    const { code } = await runNode([
      npmProgram(),
      "install",
      "--no-save",
      "--no-fund",
      "--no-audit",
      "--loglevel=error",
    ]);
    if (code !== 0) throw new Error(`npm install ended with code ${code}; its output above says why.`);
  }
  writeFileSync(installStamp, wanted);
}

/** Bundles the program unless its sources are those of the last bundle. Throws when bundling fails. */
export async function ensureBuilt() {
  const wanted = hashOf(programSources());
  if (existsSync(programEntry) && readIfThere(buildStamp) === wanted) return;
  say("Building tacklebox ...");
  await bundle();
  mkdirSync(dirname(buildStamp), { recursive: true });
  writeFileSync(buildStamp, wanted);
}

/** Compares npm's own record of what it installed with the lock, so that a tree someone installed by hand is kept. */
function installedMatchesLock() {
  const recorded = readIfThere(join(root, "node_modules/.package-lock.json"));
  if (recorded === undefined) return false;
  const installed = packagesOf(recorded);
  return Object.entries(packagesOf(readFileSync(lockFile, "utf8"))).every(([path, wanted]) => {
    const isOurs = !path.includes("node_modules/") || wanted.link;
    return isOurs || wanted.optional || wanted.devOptional || installed[path]?.version === wanted.version;
  });
}

/**
 * @param {string} lockText
 * @returns {Record<string, { version?: string, link?: boolean, optional?: boolean, devOptional?: boolean }>}
 */
function packagesOf(lockText) {
  return JSON.parse(lockText).packages;
}

/** npm tells its scripts where it lives; started without npm, it sits beside node. */
export function npmProgram() {
  const told = process.env.npm_execpath;
  if (told?.endsWith("npm-cli.js")) return told;
  const home = dirname(process.execPath);
  const candidates = ["../lib/node_modules/npm/bin/npm-cli.js", "node_modules/npm/bin/npm-cli.js"];
  const found = candidates.map((path) => join(home, path)).find((path) => existsSync(path));
  if (found === undefined) throw new Error("npm was not found beside node. Run `npm install` by hand, then try again.");
  return found;
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
