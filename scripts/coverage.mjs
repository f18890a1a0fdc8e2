// @ts-check
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { binOf, root, runNode } from "./run.mjs";

/** The minimum percentage of covered lines that each report must show. */
const floors = [
  { folder: "packages/core/src", report: "unit", lines: 90 },
  { folder: "packages/mcp/src", report: "integration", lines: 80 },
  { folder: "packages/models/src", report: "integration", lines: 80 },
  { folder: "packages/storage/src", report: "integration", lines: 80 },
  { folder: "apps/tacklebox/src", report: "program", lines: 80 },
];

/**
 * Maps the coverage of the built program, which tests run as child processes, back to its sources.
 *
 * @param {string} rawFolder the folder that NODE_V8_COVERAGE named
 * @param {string} reportFolder
 */
export async function appCoverage(rawFolder, reportFolder) {
  if (readdirSync(rawFolder).length === 0) return;
  const bundled = bundledSources();
  keepOnly(new Set(bundled.map(({ url }) => url)), rawFolder);
  const { code, output } = await runNode(
    [
      binOf("c8"),
      "report",
      `--temp-directory=${rawFolder}`,
      `--reports-dir=${reportFolder}`,
      "--reporter=json-summary",
      "--exclude-after-remap",
      "--merge-async",
      ...new Set(bundled.map(({ source }) => `--include=${source}`)),
      "--all",
      "--src=apps/tacklebox/src",
    ],
    { capture: true },
  );
  if (code !== 0) throw new Error(`The program's coverage could not be read:\n${output}`);
}

/**
 * Drops all other files from the raw reports, one report at a time: thousands of processes each recorded every package
 * they loaded, with its source map, which is more than fits into memory at once.
 *
 * @param {ReadonlySet<string>} urls
 * @param {string} rawFolder
 */
function keepOnly(urls, rawFolder) {
  for (const name of readdirSync(rawFolder)) {
    const file = join(rawFolder, name);
    const result = readRaw(file);
    if (result === undefined) rmSync(file);
    else writeFileSync(file, JSON.stringify({ result: result.filter(({ url }) => urls.has(url)) }));
  }
}

/**
 * Returns undefined for a truncated file: tests kill processes, some of them while they write their report.
 *
 * @param {string} file
 * @returns {{ url: string }[] | undefined}
 */
function readRaw(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).result;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Lists the program's own modules in the bundle. A module with only types has nothing to run and is not counted.
 *
 * @returns {{ source: string, url: string }[]} each relative to the root, with the bundled file it is in
 */
function bundledSources() {
  const dist = join(root, "apps/tacklebox/dist");
  const maps = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js.map"));
  return maps.flatMap((name) => {
    const file = join(dist, name);
    const url = pathToFileURL(file.slice(0, -".map".length)).href;
    /** @type {string[]} */
    const sources = JSON.parse(readFileSync(file, "utf8")).sources;
    return sources
      .map((source) => ({ source: fromRoot(join(dirname(file), source)), url }))
      .filter(({ source }) => source.startsWith("apps/tacklebox/src/"));
  });
}

/** @param {string} file */
function fromRoot(file) {
  return relative(root, file).split(sep).join("/");
}

/**
 * Returns one line for each folder that is below its floor or was not measured.
 *
 * @param {string} reports
 * @returns {string[]}
 */
export function missedFloors(reports) {
  return floors.flatMap(({ folder, report, lines }) => {
    const files = readFiles(join(reports, report, "coverage-summary.json"), folder);
    const total = sum(files.map((file) => file.total));
    if (total === 0) return [`coverage: ${folder} was not measured (needs ${lines}% of lines)`];
    const share = (100 * (total - sum(files.map((file) => file.missed)))) / total;
    if (share >= lines) return [];
    return [
      `coverage: ${folder} has ${share.toFixed(1)}% of lines covered, needs ${lines}%; most missed: ${worst(files)}`,
    ];
  });
}

/**
 * @typedef {object} FileLines
 * @property {string} file relative to the root
 * @property {number} total
 * @property {number} missed
 */

/**
 * @param {string} summaryFile
 * @param {string} folder
 * @returns {FileLines[]}
 */
function readFiles(summaryFile, folder) {
  if (!existsSync(summaryFile)) return [];
  /** @type {Record<string, { lines: { total: number, covered: number } }>} */
  const summary = JSON.parse(readFileSync(summaryFile, "utf8"));
  return Object.entries(summary)
    .map(([path, { lines }]) => ({ file: fromRoot(path), total: lines.total, missed: lines.total - lines.covered }))
    .filter(({ file }) => file.startsWith(`${folder}/`));
}

/** @param {readonly FileLines[]} files */
function worst(files) {
  const sorted = files.toSorted((a, b) => b.missed - a.missed).slice(0, 5);
  return sorted.map(({ file, missed }) => `${file} (${missed})`).join(", ");
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
