import { afterAll, onTestFinished, TestRunner } from "vitest";

type Release = () => Promise<void>;

const outsideTests: Release[] = [];

afterAll(async () => {
  for (const release of outsideTests.splice(0).reverse()) await release();
});

/**
 * Lets go of something when the test that opened it ends or, when opened outside a test (beforeAll), when the file ends.
 * Last opened, first released.
 */
export function releaseAfterwards(release: Release): void {
  if (TestRunner.getCurrentTest() === undefined) outsideTests.push(release);
  else onTestFinished(release);
}
