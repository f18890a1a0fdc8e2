// @ts-check
// The import rules Biome cannot check: ways around its rules that leave it no import or member access to look at.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { crowdedFolders, MAX_FILES_IN_A_FOLDER, roomBreaches } from "./core-rooms.mjs";
import { root } from "./run.mjs";

const compositionRoot = /^apps\/[^/]+\/src\/(main|environment)\.ts$/;

/** @type {readonly { name: string, text: RegExp, allowed: RegExp, message: string }[]} */
const rules = [
  {
    name: "environment",
    text: /\{[^{}]*\benv\b[^{}]*\}\s*(?:=\s*process\b|from\s*["'](?:node:)?process["'])/,
    allowed: compositionRoot,
    message: "only composition roots read the environment; take it as an argument",
  },
  {
    name: "mcp-sdk",
    text: /\bimport\(\s*["']@modelcontextprotocol\//,
    allowed: /^packages\/mcp\/src\//,
    message: "only packages/mcp names the MCP SDK; use a type of core",
  },
  {
    name: "acp-sdk",
    text: /\bimport\(\s*["'](?:@agentclientprotocol|@zed-industries)\//,
    allowed: /^apps\/tacklebox\/src\/acp\//,
    message: "only apps/tacklebox/src/acp names the ACP SDK",
  },
  {
    name: "model-sdk",
    text: /\bimport\(\s*["'](?:ai|openai|@ai-sdk|@anthropic-ai)["'/]/,
    allowed: /^packages\/models\/src\//,
    message: "only packages/models names a model SDK; use a type of core",
  },
  {
    name: "mcp-protocol",
    text: /\b(?:from|import)\s*\(?\s*["'](?:\.\.\/)+(?:http|stdio)\//,
    allowed: /^(?!packages\/mcp\/src\/upstream\/protocol\/)/,
    message: "what every transport shares knows no transport",
  },
];

/**
 * @typedef {object} Breach
 * @property {string} rule
 * @property {string} file relative to the folder that was searched, with forward slashes
 * @property {number} line
 * @property {string} message
 */

/**
 * Searches the sources of every package and app below a folder laid out like this repository.
 *
 * @param {string} folder
 * @returns {Breach[]}
 */
function findBreaches(folder) {
  const paths = sourcesOf(folder);
  const files = paths.map((path) => relative(folder, path).split(sep).join("/"));
  const crowded = crowdedFolders(files).map(({ folder: crowd, count }) => ({
    rule: "crowded-folder",
    file: crowd,
    line: 1,
    message: `${count} source files, and ${MAX_FILES_IN_A_FOLDER} are the most: group them`,
  }));
  return [...crowded, ...paths.flatMap((path, index) => breachesIn(files[index] ?? "", readFileSync(path, "utf8")))];
}

/**
 * @param {string} file
 * @param {string} source
 * @returns {Breach[]}
 */
function breachesIn(file, source) {
  const named = rules.flatMap(({ name, text, allowed, message }) => {
    const found = allowed.test(file) ? null : text.exec(source);
    return found === null ? [] : [{ rule: name, index: found.index, message }];
  });
  return [...named, ...roomBreaches(file, source)].map(({ rule, index, message }) => ({
    rule,
    file,
    line: source.slice(0, index).split("\n").length,
    message,
  }));
}

/** @param {string} folder */
function sourcesOf(folder) {
  return ["packages", "apps"].flatMap((group) => {
    if (!existsSync(join(folder, group))) return [];
    return readdirSync(join(folder, group)).flatMap((name) => typescriptUnder(join(folder, group, name, "src")));
  });
}

/** @param {string} folder */
function typescriptUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const breaches = findBreaches(process.argv[2] ?? root);
  for (const { file, line, rule, message } of breaches) process.stdout.write(`${file}:${line} ${rule}: ${message}\n`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
