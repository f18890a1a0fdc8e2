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

/** npm's error codes for a registry that cannot be reached. */
const OFFLINE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/;

/** Installs the root package-lock.json unless that is already installed. Throws when npm fails. */
export async function ensureInstalled() {
  if (isStamped(root)) return;
  if (!installedMatchesLock()) {
    say("Installing packages (once, about a minute) ...");
    // Captured because npm reports on stdout, where `npm start -- tools --json` prints JSON.
    const { code, output } = await runNode([npmProgram(), "ci", ...QUIET], { capture: true });
    if (code !== 0) throw new Error(`npm ci ended with code ${code}:\n${output.trim()}`);
  }
  stamp(root);
}

/**
 * Installs the package-lock.json of a folder outside the workspaces, unless that is already installed. Several
 * processes may do so at once: the installed packages appear all at once, by a rename.
 *
 * @param {string} folder
 * @param {string} what a name for the progress message
 * @returns {Promise<string | undefined>} undefined once installed, or why that is impossible without a network.
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
 * Never removes what another process has installed in the meantime and may be using.
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
    // Left from an older lock file.
    rmSync(target, { recursive: true, force: true });
    renameSync(modules, target);
  }
}

/** npm passes its own path to scripts it runs; without npm, it is looked up next to node. */
export function npmProgram() {
  const ownPath = process.env.npm_execpath;
  if (ownPath?.endsWith("npm-cli.js")) return ownPath;
  const home = dirname(process.execPath);
  const candidates = ["../lib/node_modules/npm/bin/npm-cli.js", "node_modules/npm/bin/npm-cli.js"];
  const found = candidates.map((path) => join(home, path)).find((path) => existsSync(path));
  if (found === undefined) throw new Error("npm was not found beside node. Run `npm ci` by hand, then try again.");
  return found;
}

/** Compares npm's own record of what it installed with the lock, so that a tree installed by hand is kept. */
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
