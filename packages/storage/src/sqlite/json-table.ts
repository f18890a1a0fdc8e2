import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Schema } from "@tacklebox/core";
import { parseStoredText } from "../rows/parse-stored.ts";
import { toKey } from "./parameters.ts";
import { prepareLazily } from "./prepare-lazily.ts";
import type { GroupWriter } from "./writing/group-writer.ts";

export interface JsonTableOptions<T> {
  readonly name: string;
  /** The column that identifies a row. */
  readonly key: string;
  /** What error messages call a row, in front of its key, such as `The session`. */
  readonly label: string;
  readonly schema: Schema<T>;
}

type Parameter = string | number | null;

/** A table that stores each value as JSON in the column `value`, next to the columns used to find it. */
export interface JsonTable<T> {
  /**
   * Takes a statement whose last parameter is the value. The value is serialized at once; the caller may change it
   * later.
   */
  save(sql: string): (value: T, ...parameters: readonly Parameter[]) => Promise<void>;
  /** Takes the rest of a query after `SELECT … FROM the table`. The query throws StoreError `damaged-row`. */
  select(rest: string): (...parameters: readonly Parameter[]) => readonly T[];
  /** Resolves to false if there was no such row. */
  remove(key: string): Promise<boolean>;
}

interface JsonRow {
  readonly key: string;
  readonly value: string;
}

export function createJsonTable<T>(
  database: DatabaseSyncInstance,
  writer: GroupWriter,
  { name, key, label, schema }: JsonTableOptions<T>,
): JsonTable<T> {
  const remove = prepareLazily(database, `DELETE FROM ${name} WHERE ${key} = ?`);
  const fromRow = (row: JsonRow) =>
    parseStoredText(schema, row.value, () => ({ what: `${label} "${row.key}"`, table: name }));

  return {
    save(sql) {
      const save = prepareLazily(database, sql);
      return async (value, ...parameters) => {
        const text = JSON.stringify(value);
        await writer.write(() => void save().run(...parameters, text));
      };
    },
    select(rest) {
      const select = prepareLazily(database, `SELECT ${key} AS key, value FROM ${name} ${rest}`);
      return (...parameters) => {
        const rows: readonly JsonRow[] = select().all(...parameters);
        return rows.map(fromRow);
      };
    },
    async remove(id) {
      let removed = false;
      await writer.write(() => {
        removed = remove().run(toKey(id)).changes > 0;
      });
      return removed;
    },
  };
}
