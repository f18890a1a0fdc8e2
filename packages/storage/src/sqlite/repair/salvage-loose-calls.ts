import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { scanRows } from "./scan-rows.ts";

/** `id` to `owner`, which the first version had; NULL in place of `seq`, which is the row's number. */
const LEAST_VALUES = 15;
const [ID, STATUS] = [1, 7];

/**
 * Adds ended calls that lie on pages nothing leads to any more. Only calls: of other tables, a page might hold what was
 * removed on purpose, such as a grant. Calls in `removed` are left out. Returns how many were added.
 */
export function salvageLooseCalls(file: string, to: DatabaseSyncInstance, removed: ReadonlySet<string>): number {
  const columns: readonly { readonly name: string }[] = to.prepare("PRAGMA table_info(calls)").all();
  const names = columns.map(({ name }) => name);
  const insert = to.prepare(
    `INSERT OR IGNORE INTO calls (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  let added = 0;
  for (const { number, values } of scanRows(file)) {
    const { [ID]: id, [STATUS]: status } = values;
    if (values.length < LEAST_VALUES || values.length > names.length || values[0] !== null) continue;
    if (typeof id !== "string" || removed.has(id) || (status !== "success" && status !== "error")) continue;
    try {
      added += insert.run(number, ...names.slice(1).map((_, index) => values[index + 1] ?? null)).changes;
    } catch {
      // The table's own rules refuse it: it is no call after all.
    }
  }
  return added;
}
