import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { digestRow, type LoggedCall } from "../chain/row-digest.ts";
import { type KnownCalls, mayHaveBeenThere } from "./read-chain.ts";
import { type ScannedRow, scanRows } from "./scan-rows.ts";

/** `id` to `owner`, which the first version had; NULL in place of `seq`, which is the row's number. */
const LEAST_VALUES = 15;
const [ID, STATUS] = [1, 7];

/**
 * Adds ended calls that lie on pages nothing leads to any more. Only calls: of other tables, a page might hold what was
 * removed on purpose, such as a grant. Calls that had been removed are left out. Returns how many were added.
 */
export function salvageLooseCalls(file: string, to: DatabaseSyncInstance, known: KnownCalls): number {
  const columns: readonly { readonly name: string }[] = to.prepare("PRAGMA table_info(calls)").all();
  const names = columns.map(({ name }) => name);
  const insert = to.prepare(
    `INSERT OR IGNORE INTO calls (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  const find = to.prepare("SELECT * FROM calls WHERE id = ?");
  const remove = to.prepare("DELETE FROM calls WHERE id = ?");

  const add = ({ number, values }: ScannedRow) => {
    try {
      return insert.run(number, ...names.slice(1).map((_, index) => values[index + 1] ?? null)).changes;
    } catch {
      // The table's own rules refuse it: it is no call after all.
      return 0;
    }
  };
  const isAsRecorded = (id: string) => {
    const row: LoggedCall | undefined = find.get(id);
    return row !== undefined && digestRow(row) === known.digests.get(id);
  };

  let added = 0;
  // A page may hold what a row was before it changed, so what the chain knows goes first.
  for (const row of looseCalls(file, names.length, known)) {
    const id = String(row.values[ID]);
    if (!known.digests.has(id) || add(row) === 0) continue;
    if (isAsRecorded(id)) added += 1;
    else remove.run(id);
  }
  for (const row of looseCalls(file, names.length, known)) added += add(row);
  return added;
}

function* looseCalls(file: string, columns: number, known: KnownCalls): Generator<ScannedRow> {
  for (const row of scanRows(file)) {
    const { values } = row;
    const { [ID]: id, [STATUS]: status } = values;
    if (values.length < LEAST_VALUES || values.length > columns || values[0] !== null) continue;
    if (status !== "success" && status !== "error") continue;
    if (typeof id === "string" && mayHaveBeenThere(id, known)) yield row;
  }
}
