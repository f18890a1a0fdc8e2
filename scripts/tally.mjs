// @ts-check
import { existsSync, readFileSync } from "node:fs";

/**
 * Counts what one vitest run reported. A run that failed without a failing test (a file that does not load,
 * an error outside any test, a crash before the report) counts as failed too.
 *
 * @param {string} resultFile written by vitest's json reporter
 * @param {number} exitCode
 * @returns {{ passed: number, failed: number, skipped: readonly string[] }} `skipped` holds full test names
 */
export function readTally(resultFile, exitCode) {
  if (!existsSync(resultFile)) return { passed: 0, failed: 1, skipped: [] };
  const report = JSON.parse(readFileSync(resultFile, "utf8"));
  const failedFiles = report.testResults.filter(isFailedWithoutTest).length;
  const failed = report.numFailedTests + failedFiles;
  const failedOutsideTests = exitCode !== 0 && failed === 0;
  return { passed: report.numPassedTests, failed: failed + (failedOutsideTests ? 1 : 0), skipped: skippedIn(report) };
}

/**
 * @param {{ testResults: readonly { assertionResults: readonly { status: string, fullName: string }[] }[] }} report
 * @returns {readonly string[]}
 */
function skippedIn({ testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests.filter(({ status }) => status === "skipped" || status === "pending").map(({ fullName }) => fullName);
}

/** @param {{ status: string, assertionResults: readonly { status: string }[] }} file */
function isFailedWithoutTest(file) {
  return file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed");
}
