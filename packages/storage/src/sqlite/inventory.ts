import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Inventory, ServerInventory } from "@tacklebox/core";
import { inTransaction } from "./in-transaction.ts";
import { toWriteError } from "./store-error.ts";
import { queries, readRows, runStatement } from "./tables.ts";

export interface InventoryOptions {
  readonly file: string;
  readonly now: () => number;
}

export function createInventory(database: DatabaseSyncInstance, { file, now }: InventoryOptions): Inventory {
  return {
    async load(scope, server) {
      // One statement, so that another process replacing the rows just now cannot make server and tools disagree.
      const rows = readRows(database, selectInventory(scope, server));
      const [first] = rows;
      if (first === undefined) return undefined;
      return {
        scope,
        server,
        ...(first.era !== null && { era: first.era }),
        tools: rows.flatMap(({ name, fingerprint }) =>
          name === null || fingerprint === null ? [] : [{ name, fingerprint }],
        ),
      };
    },
    async save(inventory) {
      try {
        inTransaction(database, () => replaceInventory(inventory));
      } catch (error) {
        throw toWriteError(file, error);
      }
    },
  };

  function replaceInventory({ scope, server, era, tools }: ServerInventory): void {
    const savedAt = new Date(now()).toISOString();
    runStatement(
      database,
      queries.deleteFrom("inventory_servers").where("scope", "=", scope).where("server", "=", server).compile(),
    );
    runStatement(
      database,
      queries
        .insertInto("inventory_servers")
        .values({ scope, server, era: era ?? null, saved_at: savedAt })
        .compile(),
    );
    // One statement per tool: a server may list more tools than one statement takes parameters.
    for (const [position, { name, fingerprint }] of tools.entries()) {
      runStatement(
        database,
        queries.insertInto("inventory_tools").values({ scope, server, position, name, fingerprint }).compile(),
      );
    }
  }
}

function selectInventory(scope: string, server: string) {
  return queries
    .selectFrom("inventory_servers as s")
    .leftJoin("inventory_tools as t", (join) =>
      join.onRef("t.scope", "=", "s.scope").onRef("t.server", "=", "s.server"),
    )
    .select(["s.era", "t.name", "t.fingerprint"])
    .where("s.scope", "=", scope)
    .where("s.server", "=", server)
    .orderBy("t.position")
    .compile();
}
