// @ts-check
// npm run faults: runs the fault suite and prints the matrix (fault, promised, seen). Exit 1 when a row fails.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureInstalled } from "./install.mjs";
import { ensureBuilt } from "./prepare.mjs";
import { binOf, exitWith, runNode, say } from "./run.mjs";

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} fault
 * @property {string} promised
 * @property {string} seen what the test observed, or the error if it failed
 * @property {boolean} kept
 */

await exitWith(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const folder = mkdtempSync(join(tmpdir(), "tacklebox-faults-"));
  const report = join(folder, "report.json");
  try {
    const args = ["run", "--project", "integration", "tests/faults", ...process.argv.slice(2)];
    const reporters = ["--reporter=json", `--outputFile.json=${report}`];
    say("Running the fault suite, about a minute ...");
    const { code, output } = await runNode([binOf("vitest"), ...args, ...reporters], { capture: true });
    const { rows, others } = readRows(report, output);
    process.stdout.write(toTable(rows));
    for (const other of others) say(other);
    const broken = rows.filter(({ kept }) => !kept).length;
    process.stdout.write(`\n${rows.length - broken} of ${rows.length} promises kept\n`);
    return code === 0 && broken === 0 && rows.length > 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/**
 * @param {string} report
 * @param {string} output what to show when there is no report
 * @returns {{ rows: Row[], others: string[] }}
 */
function readRows(report, output) {
  /** @type {{ testResults: { name: string, status: string, message: string, assertionResults: any[] }[] }} */
  const { testResults } = parseReport(report, output);
  /** @type {Row[]} */
  const rows = [];
  /** @type {string[]} */
  const others = [];
  for (const file of testResults) {
    if (file.assertionResults.length === 0) others.push(`${file.name}: ${file.message}`);
    for (const test of file.assertionResults) {
      const row = test.meta?.fault;
      const kept = test.status === "passed";
      const wrong = test.failureMessages[0]?.split("\n", 1)[0] ?? "did not run";
      if (test.status === "skipped" || test.status === "pending") others.push(`Did not run: ${test.fullName}`);
      else if (row === undefined && !kept) others.push(`${test.fullName}: ${wrong}`);
      if (row !== undefined)
        rows.push({ ...row, kept, seen: kept ? `ok: ${row.seen.join("; ")}` : `BROKEN: ${wrong}` });
    }
  }
  return { rows, others };
}

/** @param {string} report @param {string} output */
function parseReport(report, output) {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    throw new Error(`The fault suite did not run:\n${output.trimEnd()}`);
  }
}

/** @param {Row[]} rows */
function toTable(rows) {
  const lines = [["FAULT", "PROMISED", "SEEN"], ...rows.map(({ fault, promised, seen }) => [fault, promised, seen])];
  const widths = [0, 1].map((column) => Math.min(60, Math.max(...lines.map((line) => line[column]?.length ?? 0))));
  return lines.map((line) => `${formatRow(line, [...widths, 60])}\n`).join("");
}

/** Wraps cells that are too wide onto the next line. @param {readonly string[]} cells @param {readonly number[]} widths */
function formatRow(cells, widths) {
  const wrapped = cells.map((cell, column) => wrap(cell, widths[column] ?? 60));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    wrapped
      .map((lines, column) => (lines[line] ?? "").padEnd(widths[column] ?? 60))
      .join("  ")
      .trimEnd(),
  ).join("\n");
}

/** @param {string} text @param {number} width */
function wrap(text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    const longer = lines[last] === "" ? word : `${lines[last]} ${word}`;
    if (longer.length <= width) lines[last] = longer;
    else lines.push(word);
  }
  return lines;
}
