import { it } from "vitest";
import { releasedBy } from "../support/release.ts";

/** One row of the matrix that `npm run faults` prints. */
export interface FaultRow {
  readonly id: string;
  readonly fault: string;
  readonly promised: string;
}

declare module "vitest" {
  interface TaskMeta {
    fault?: FaultRow & { readonly seen: readonly string[] };
  }
}

/**
 * A test that is a row of the matrix: the table is made of what the tests themselves say and found, so that it cannot
 * claim anything else. `seen` notes what was found, once the promise is known to be kept.
 */
export function fault(row: FaultRow, check: (seen: (what: string) => void) => Promise<void>): void {
  it(`${row.id}: ${row.fault}: ${row.promised}`, async ({ task, onTestFinished }) => {
    const seen: string[] = [];
    task.meta.fault = { ...row, seen };
    await releasedBy(onTestFinished, () => check((what) => seen.push(what)));
  });
}
