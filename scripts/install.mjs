// @ts-check
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { root, runNode, say } from "./run.mjs";

const QUIET = ["--no-fund", "--no-audit", "--loglevel=error"];

/** npm's words for a registry that is not there. */
const OFFLINE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/;

/** Installs what the package-lock.json at the root asks for, unless it is there already. Throws when npm fails. */
export async function ensureInstalled() {
  if (isStamped(root)) return;
  if (!installedMatchesLock()) {
    say("Installing packages (once, about a minute) ...");
    // Captured because npm says on stdout what it did, and `npm start -- tools --json` prints JSON there.
    const { code, output } = await runNode([npmProgram(), "ci", ...QUIET], { capture: true });
    if (code !== 0) throw new Error(`npm ci ended with code ${code}:\n${output.trim()}`);
  }
  stamp(root);
}

/**
 * Installs what the package-lock.json of a folder outside the workspaces asks for, unless it is there already. Several
 * processes may ask at once: what is installed appears whole.
 *
 * @param {string} folder
 * @param {string} what it is, for whoever waits
 * @returns {Promise<string | undefined>} why nothing could be installed without a network; undefined when all is there.
 *   Throws when npm fails for another reason
 */
export async function installLocked(folder, what) {
  if (isStamped(folder)) return undefined;
  say(`Installing ${what} (once) ...`);
  const cache = join(root, ".cache");
  mkdirSync(cache, { recursive: true });
  const place = mkdtempSync(join(cache, `install-${basename(folder)}-`));
  try {
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(folder, file), join(place, file));
    const options = ["--engine-strict=false", "--ignore-scripts", "--prefer-offline", "--fetch-retries=1"];
    const args = ["ci", "--prefix", place, ...QUIET, ...options, "--fetch-retry-mintimeout=1000"];
    const { code, output } = await runNode([npmProgram(), ...args], { capture: true });
    const offline = code === 0 ? undefined : OFFLINE.exec(output)?.[0];
    if (offline !== undefined) return `npm's registry cannot be reached (${offline})`;
    if (code !== 0) throw new Error(`npm ci in ${folder} ended with code ${code}:\n${output.trim()}`);
    stamp(place);
    moveInto(folder, join(place, "node_modules"));
    return undefined;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * Never removes what somebody else has put there meanwhile and may be using.
 *
 * @param {string} folder
 * @param {string} modules
 */
function moveInto(folder, modules) {
  const target = join(folder, "node_modules");
  try {
    renameSync(modules, target);
  } catch {
    if (isStamped(folder)) return;
    // Left from another lock.
    rmSync(target, { recursive: true, force: true });
    renameSync(modules, target);
  }
}

/** npm tells its scripts where it lives; started without npm, it sits beside node. */
export function npmProgram() {
  const told = process.env.npm_execpath;
  if (told?.endsWith("npm-cli.js")) return told;
  const home = dirname(process.execPath);
  const candidates = ["../lib/node_modules/npm/bin/npm-cli.js", "node_modules/npm/bin/npm-cli.js"];
  const found = candidates.map((path) => join(home, path)).find((path) => existsSync(path));
  if (found === undefined) throw new Error("npm was not found beside node. Run `npm ci` by hand, then try again.");
  return found;
}

/** Compares npm's own record of what it installed with the lock, so that a tree someone installed by hand is kept. */
function installedMatchesLock() {
  const record = join(root, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const installed = packagesOf(record);
  return Object.entries(packagesOf(lockOf(root))).every(([path, wanted]) => {
    const isOurs = !path.includes("node_modules/") || wanted.link;
    return isOurs || wanted.optional || wanted.devOptional || installed[path]?.version === wanted.version;
  });
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version?: string, link?: boolean, optional?: boolean, devOptional?: boolean }>}
 */
function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages;
}

/** @param {string} folder */
function isStamped(folder) {
  const file = stampOf(folder);
  return existsSync(file) && readFileSync(file, "utf8") === hashOfLock(folder);
}

/** @param {string} folder */
function stamp(folder) {
  writeFileSync(stampOf(folder), hashOfLock(folder));
}

/** @param {string} folder */
function stampOf(folder) {
  return join(folder, "node_modules/.tacklebox-stamp");
}

/** @param {string} folder */
function hashOfLock(folder) {
  return createHash("sha256")
    .update(readFileSync(lockOf(folder)))
    .digest("hex");
}

/** @param {string} folder */
function lockOf(folder) {
  return join(folder, "package-lock.json");
}
