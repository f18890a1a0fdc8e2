import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, onTestFinished, TestRunner } from "vitest";

type Release = () => Promise<void>;

const outsideTests: Release[] = [];
const owners = new AsyncLocalStorage<(release: Release) => void>();

afterAll(async () => {
  for (const release of outsideTests.splice(0).reverse()) await release();
});

/**
 * Releases something when the test that opened it ends or, when opened outside a test (beforeAll), when the file ends.
 * What was opened last is released first.
 */
export function releaseAfterwards(release: Release): void {
  const own = owners.getStore();
  if (own !== undefined) own(release);
  else if (TestRunner.getCurrentTest() === undefined) outsideTests.push(release);
  else onTestFinished(release);
}

/** For concurrent tests: whatever `work` opens is released through `own`, the hook of its own test. */
export function releasedBy<T>(own: (release: Release) => void, work: () => Promise<T>): Promise<T> {
  return owners.run(own, work);
}
