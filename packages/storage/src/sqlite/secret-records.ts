import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { fromSecretRow, toSecretRow } from "../rows/secret-row.ts";
import type { SecretRecords } from "../vault/secret-record.ts";
import { readRows, runStatement } from "./tables.ts";
import type { GroupWriter } from "./writing/group-writer.ts";

export function createSecretRecords(database: DatabaseSyncInstance, writer: GroupWriter): SecretRecords {
  return {
    async load(name) {
      const { queries } = await import("./queries.ts");
      const [row] = readRows(database, queries.selectFrom("secrets").selectAll().where("name", "=", name).compile());
      return row === undefined ? undefined : fromSecretRow(row);
    },
    async list() {
      const { queries } = await import("./queries.ts");
      return readRows(database, queries.selectFrom("secrets").selectAll().orderBy("name").compile()).map(fromSecretRow);
    },
    async save(record) {
      const { queries } = await import("./queries.ts");
      const { name, ...rest } = toSecretRow(record);
      const insert = queries
        .insertInto("secrets")
        .values({ name, ...rest })
        .onConflict((conflict) => conflict.column("name").doUpdateSet(rest))
        .compile();
      await erasing(() => runStatement(database, insert));
    },
    async remove(name) {
      const { queries } = await import("./queries.ts");
      const remove = queries.deleteFrom("secrets").where("name", "=", name).compile();
      let isRemoved = false;
      await erasing(() => {
        isRemoved = database.prepare(remove.sql).run(...remove.parameters).changes > 0;
      });
      return isRemoved;
    },
  };

  /**
   * Overwrites what the work removes or replaces, where SQLite would only mark its space as free, and clears it from the
   * WAL as well.
   */
  async function erasing(work: () => void): Promise<void> {
    await writer.write(() => {
      database.exec("PRAGMA secure_delete = ON");
      try {
        work();
      } finally {
        database.exec("PRAGMA secure_delete = OFF");
      }
    });
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Another process is using the WAL: it is cleared when the last of them ends.
    }
  }
}
