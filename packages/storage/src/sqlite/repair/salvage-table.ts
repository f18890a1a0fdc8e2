import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";

export interface SalvagedTable {
  readonly table: string;
  readonly kept: number;
  /** Whether every row could be read. */
  readonly isComplete: boolean;
}

type Value = null | number | bigint | string | Uint8Array;
type Row = Readonly<Record<string, Value>>;

const ROW_NUMBER = "rowid";

/** How many rows beyond the last one read are looked for, one by one, when the end of the table cannot be read. */
const MAX_MISSES = 10_000;

/**
 * Copies every row of a table that can be read: from its start up to the first damaged page, from its end back to the
 * last one, and between the two row by row.
 */
export function salvageTable(from: DatabaseSyncInstance, to: DatabaseSyncInstance, table: string): SalvagedTable {
  const columns = sharedColumns(from, to, table);
  if (columns.length === 0) return { table, kept: 0, isComplete: false };
  const keys = keysOf(to, table);
  const names = columns.map((name) => `"${name}"`).join(", ");
  const selected = `SELECT ${keys.map((key, place) => `${key} AS key_${place}`).join(", ")}, ${names} FROM "${table}"`;
  const insert = to.prepare(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => "?").join(", ")})`);
  let kept = 0;
  let isComplete = true;

  const keep = (row: Row) => {
    try {
      insert.run(...columns.map((name) => row[name] ?? null));
      kept += 1;
    } catch {
      // A row that the table's own rules refuse holds something other than what was written.
      isComplete = false;
    }
    return undefined;
  };

  const forwards = read(from, `${selected} ORDER BY ${keys.join(", ")}`, keep);
  if (forwards.isComplete) return { table, kept, isComplete };
  const seen = keyOf(forwards.last, keys);
  const backwards = read(from, `${selected} ORDER BY ${keys.map((key) => `${key} DESC`).join(", ")}`, (row) =>
    keyOf(row, keys) === seen ? "stop" : keep(row),
  );
  if (keys[0] === ROW_NUMBER) {
    const lookUp = () => from.prepare(`${selected} WHERE rowid = ?`);
    for (const row of between(lookUp, forwards.last?.key_0, backwards.last?.key_0)) keep(row);
  }
  return { table, kept, isComplete: false };
}

/** Reads rows until one cannot be read, or `take` has enough. */
function read(
  database: DatabaseSyncInstance,
  sql: string,
  take: (row: Row) => "stop" | undefined,
): { readonly isComplete: boolean; readonly last: Row | undefined } {
  let last: Row | undefined;
  try {
    const rows: Iterable<Row> = database.prepare(sql).iterate();
    for (const row of rows) {
      if (take(row) === "stop") break;
      last = row;
    }
    return { isComplete: true, last };
  } catch {
    return { isComplete: false, last };
  }
}

/** Rows of numbered tables between the two, neither of which is included. */
function* between(lookUp: () => StatementSyncInstance, from: Value | undefined, to: Value | undefined): Generator<Row> {
  if (typeof (from ?? to ?? 0) !== "number") return;
  const end = typeof to === "number" ? to : Number.POSITIVE_INFINITY;
  let misses = 0;
  for (let number = typeof from === "number" ? from + 1 : 1; number < end && misses < MAX_MISSES; number += 1) {
    const row = tryGet(lookUp, number);
    misses = row === undefined ? misses + 1 : 0;
    if (row !== undefined) yield row;
  }
}

function tryGet(lookUp: () => StatementSyncInstance, number: number): Row | undefined {
  try {
    const row: Row | undefined = lookUp().get(number);
    return row;
  } catch {
    return undefined;
  }
}

function keyOf(row: Row | undefined, keys: readonly string[]): string | undefined {
  return row === undefined ? undefined : JSON.stringify(keys.map((_, place) => String(row[`key_${place}`])));
}

/** An older file has fewer columns. */
function sharedColumns(from: DatabaseSyncInstance, to: DatabaseSyncInstance, table: string): readonly string[] {
  const wanted = columnsOf(to, table).map(({ name }) => name);
  try {
    const there = new Set(columnsOf(from, table).map(({ name }) => name));
    return wanted.filter((name) => there.has(name));
  } catch {
    return [];
  }
}

interface Column {
  readonly name: string;
  /** Its place in the primary key, from 1; 0 if it is no part of it. */
  readonly pk: number;
}

function columnsOf(database: DatabaseSyncInstance, table: string): readonly Column[] {
  const columns: readonly Column[] = database.prepare(`PRAGMA table_info("${table}")`).all();
  return columns;
}

/** The order in which the table is stored, so that no index is needed to read it. */
function keysOf(database: DatabaseSyncInstance, table: string): readonly string[] {
  const { wr }: { readonly wr: number } = database.prepare(`PRAGMA table_list("${table}")`).get();
  if (wr === 0) return [ROW_NUMBER];
  const keys = columnsOf(database, table).filter(({ pk }) => pk > 0);
  return keys.sort((a, b) => a.pk - b.pk).map(({ name }) => `"${name}"`);
}
