import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Selectable } from "kysely";
import type { SecretRecord, SecretRecords } from "../vault/secret-record.ts";
import type { GroupWriter } from "./group-writer.ts";
import { readRows, runStatement, type SecretsTable } from "./tables.ts";

export function createSecretRecords(database: DatabaseSyncInstance, writer: GroupWriter): SecretRecords {
  return {
    async load(name) {
      const { queries } = await import("./queries.ts");
      const [row] = readRows(database, queries.selectFrom("secrets").selectAll().where("name", "=", name).compile());
      return row === undefined ? undefined : fromRow(row);
    },
    async list() {
      const { queries } = await import("./queries.ts");
      return readRows(database, queries.selectFrom("secrets").selectAll().orderBy("name").compile()).map(fromRow);
    },
    async save(record) {
      const { queries } = await import("./queries.ts");
      const { name, ...rest } = toRow(record);
      const insert = queries
        .insertInto("secrets")
        .values({ name, ...rest })
        .onConflict((conflict) => conflict.column("name").doUpdateSet(rest))
        .compile();
      await writer.write(() => runStatement(database, insert));
    },
    async remove(name) {
      const { queries } = await import("./queries.ts");
      const remove = queries.deleteFrom("secrets").where("name", "=", name).compile();
      let isRemoved = false;
      await writer.write(() => {
        isRemoved = database.prepare(remove.sql).run(...remove.parameters).changes > 0;
      });
      return isRemoved;
    },
  };
}

function toRow(record: SecretRecord): Selectable<SecretsTable> {
  return {
    name: record.name,
    v: record.v,
    alg: record.alg,
    kek_id: record.kekId,
    wrap_nonce: record.wrapNonce,
    wrapped_dek: record.wrappedDek,
    nonce: record.nonce,
    ciphertext: record.ciphertext,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    rev: record.rev,
  };
}

function fromRow(row: Selectable<SecretsTable>): SecretRecord {
  return {
    v: row.v,
    alg: row.alg,
    name: row.name,
    kekId: row.kek_id,
    wrapNonce: row.wrap_nonce,
    wrappedDek: row.wrapped_dek,
    nonce: row.nonce,
    ciphertext: row.ciphertext,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    rev: row.rev,
  };
}
