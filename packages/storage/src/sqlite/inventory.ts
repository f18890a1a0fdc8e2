import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Era, Inventory, ServerInventory } from "@tacklebox/core";
import { prepareLazily } from "./prepare-lazily.ts";
import type { GroupWriter } from "./writing/group-writer.ts";
import { inSavepoint } from "./writing/in-transaction.ts";

export interface InventoryOptions {
  readonly now: () => number;
}

// Hand-written SQL, because every start runs it and the query builder would have to be loaded first.
// One statement, so that server and tools agree even if another process is replacing the rows.
const LOAD = `
  SELECT s.era, t.name, t.fingerprint
  FROM inventory_servers AS s LEFT JOIN inventory_tools AS t ON t.scope = s.scope AND t.server = s.server
  WHERE s.scope = ? AND s.server = ?
  ORDER BY t.position`;
const REMOVE = "DELETE FROM inventory_servers WHERE scope = ? AND server = ?";
const ADD_SERVER = "INSERT INTO inventory_servers (scope, server, era, saved_at) VALUES (?, ?, ?, ?)";
/** One statement for all tools: a server may have thousands, and binding each costs more than writing it. */
const ADD_TOOLS = `
  INSERT INTO inventory_tools (scope, server, position, name, fingerprint)
  SELECT ?, ?, key, value ->> 0, value ->> 1 FROM json_each(?)`;

interface LoadedRow {
  readonly era: Era | null;
  /** Null for a server without tools, which has a single row. */
  readonly name: string | null;
  readonly fingerprint: string | null;
}

export function createInventory(
  database: DatabaseSyncInstance,
  writer: GroupWriter,
  { now }: InventoryOptions,
): Inventory {
  const load = prepareLazily(database, LOAD);
  const remove = prepareLazily(database, REMOVE);
  const addServer = prepareLazily(database, ADD_SERVER);
  const addTools = prepareLazily(database, ADD_TOOLS);

  return {
    async load(scope, server) {
      const rows: readonly LoadedRow[] = load().all(scope, server);
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
    async save({ scope, server, era, tools }: ServerInventory) {
      const savedAt = new Date(now()).toISOString();
      const rows = JSON.stringify(tools.map(({ name, fingerprint }) => [name, fingerprint]));
      await writer.write(() =>
        inSavepoint(database, () => {
          remove().run(scope, server);
          addServer().run(scope, server, era ?? null, savedAt);
          addTools().run(scope, server, rows);
        }),
      );
    },
  };
}
