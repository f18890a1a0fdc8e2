// @ts-check
import { cpus, loadavg, release, type } from "node:os";
import { toMarkdown } from "./table.mjs";

/** @returns {string} what the figures were measured on */
export function describeMachine() {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? "unknown processor";
  const load = loadavg()[0]?.toFixed(1);
  return `${processors.length} cores (${model}), ${type()} ${release()}, Node ${process.versions.node}, load ${load}`;
}

/**
 * @param {{ cells: string[][], date: string, before: string, after: string, rounds: number }} run
 * @returns {string} the text of results.md
 */
export function toResults({ cells, date, before, after, rounds }) {
  return `# Results

Written by \`npm run bench\`; do not edit. ${rounds} rounds in turn, medians of the rounds; a ratio is the median of the ratios
within each round, with the lowest and the highest behind it. "unclear": rounds fell on both sides of the target.
CPU ratios hold on a busy machine. Wall-clock figures (p50, calls/s, ready) and absolute CPU times do not: read them with
the load below, which should be near 0 before the start.

- date: ${date}
- machine at the start: ${before}
- machine at the end: ${after}

${toMarkdown(cells)}
`;
}
