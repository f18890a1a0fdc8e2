// @ts-check
// npm test: every suite with its coverage floors. npm test -- <vitest arguments>: only those tests, without floors.
// Tests that did not run are listed before the last line, which is always "N passed, N failed".
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { appCoverage, missedFloors } from "./coverage.mjs";
import { ensureInstalled } from "./install.mjs";
import { ensureBuilt } from "./prepare.mjs";
import { binOf, root, runNode, say } from "./run.mjs";
import { readTally } from "./tally.mjs";

// A folder of its own, so that two runs in one checkout do not clear each other's reports.
const reports = mkdtempSync(join(tmpdir(), "tacklebox-reports-"));
const childCoverage = join(reports, "program-raw");
const coverageOf = {
  unit: ["--coverage.include=packages/core/src/**"],
  integration: [
    "--coverage.include=packages/mcp/src/**",
    "--coverage.include=packages/models/src/**",
    "--coverage.include=packages/storage/src/**",
  ],
};

process.exitCode = await main();

async function main() {
  const total = { passed: 0, failed: 0 };
  try {
    await prepare();
    const given = process.argv.slice(2);
    for (const tally of given.length > 0 ? [await runSuite("selected", given)] : await runAll()) {
      total.passed += tally.passed;
      total.failed += tally.failed;
      // A run of selected tests leaves out the rest on purpose.
      if (given.length === 0) for (const name of tally.skipped) say(`Did not run: ${name}`);
    }
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    total.failed += 1;
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
  return total.failed === 0 ? 0 : 1;
}

async function prepare() {
  mkdirSync(childCoverage);
  await ensureInstalled();
  await ensureBuilt();
  const fixtures = join(root, "tests/fixtures/build.mjs");
  if (existsSync(fixtures)) await (await import(pathToFileURL(fixtures).href)).buildFixtures();
}

async function runAll() {
  const suites = [await runCovered("unit"), await runCovered("integration")];
  await appCoverage(childCoverage, join(reports, "program"));
  const missed = missedFloors(reports);
  for (const line of missed) say(line);
  return [...suites, { passed: 0, failed: missed.length, skipped: [] }];
}

/** @param {"unit" | "integration"} project */
function runCovered(project) {
  const coverage = [
    "--coverage.enabled",
    `--coverage.reportsDirectory=${join(reports, project)}`,
    "--coverage.reportOnFailure",
  ];
  return runSuite(project, ["--project", project, ...coverage, ...coverageOf[project]]);
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
async function runSuite(name, args) {
  const resultFile = join(reports, `${name}-results.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultFile}`];
  const { code } = await runNode([binOf("vitest"), "run", "--passWithNoTests", ...reporters, ...args], {
    env: { ...process.env, TACKLEBOX_COVERAGE_DIR: childCoverage },
  });
  return readTally(resultFile, code);
}
