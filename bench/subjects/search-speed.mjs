// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { quantile } from "../report/arithmetic.mjs";

const QUERIES_PER_SET = 94;
const PASSES = 5;

/**
 * Measures how long an engine takes to index `count` real tools and to search them with queries of every set, and its
 * memory.
 *
 * @param {{ data: string, engine: string, count: number }} options
 */
export async function run({ data, engine, count }) {
  const { build } = await import(pathToFileURL(engine).href);
  const tools = read(join(data, "scale/smithery/tools.json"));
  const queries = readdirSync(join(data, "dev")).flatMap((set) => spread(read(join(data, "dev", set, "queries.json"))));
  build(tools.slice(0, 500));
  const listed = repeated(tools, count);
  const before = memory();
  const startedAt = performance.now();
  const built = build(listed);
  const index = performance.now() - startedAt;
  const times = [];
  for (let pass = 0; pass < PASSES; pass += 1)
    for (const { text } of queries) {
      const askedAt = performance.now();
      built.search(text, 10);
      times.push(performance.now() - askedAt);
    }
  return { index, p50: quantile(times, 0.5), p99: quantile(times, 0.99), heap: memory() - before };
}

/** @param {string} file */
function read(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

/**
 * @template T
 * @param {readonly T[]} items
 */
function spread(items) {
  const step = Math.max(1, Math.floor(items.length / QUERIES_PER_SET));
  return items.filter((_, place) => place % step === 0).slice(0, QUERIES_PER_SET);
}

/**
 * @param {readonly import("../search/load-search.mjs").ListedTool[]} tools
 * @param {number} count
 */
function repeated(tools, count) {
  return Array.from({ length: count }, (_, place) => {
    const tool = tools[place % tools.length];
    const again = Math.floor(place / tools.length);
    return again === 0 ? tool : { ...tool, id: `${tool?.id}#${again}`, server: `${tool?.server}-${again}` };
  });
}

/** Returns the memory in use in MB, including typed arrays. */
function memory() {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1024 / 1024;
}
