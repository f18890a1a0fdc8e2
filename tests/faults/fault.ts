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
 * Defines a test that is also a row of the matrix. The table consists only of what the tests state and observe, so it
 * cannot claim anything else. The check calls `seen` with what it observed once it knows that the promise was kept.
 * `unless`: it needs something that this machine does not have, and is reported as not run.
 */
export function fault(
  row: FaultRow,
  check: (seen: (what: string) => void) => Promise<void>,
  { unless = false }: { readonly unless?: boolean } = {},
): void {
  it.skipIf(unless)(`${row.id}: ${row.fault}: ${row.promised}`, async ({ task, onTestFinished }) => {
    const seen: string[] = [];
    task.meta.fault = { ...row, seen };
    await releasedBy(onTestFinished, () => check((what) => seen.push(what)));
  });
}
