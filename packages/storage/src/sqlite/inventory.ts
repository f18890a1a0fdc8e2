import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import {
  type AcceptedDefinition,
  type Era,
  type Inventory,
  type InventoryName,
  isJsonObject,
  type ServerInventory,
} from "@tacklebox/core";
import { prepareLazily } from "./prepare-lazily.ts";
import type { GroupWriter } from "./writing/group-writer.ts";
import { inSavepoint } from "./writing/in-transaction.ts";

export interface InventoryOptions {
  readonly now: () => number;
}

// Hand-written SQL, because every start runs it and the query builder would have to be loaded first.
/** The server's own inventory comes first, then the latest of a server that was reached in the same way. */
const FOUND = `
  SELECT scope, server, launch, era FROM inventory_servers
  WHERE scope = ?1 AND (server = ?2 OR launch = ?3)
  ORDER BY server = ?2 DESC, saved_at DESC LIMIT 1`;
// One statement, so that server and tools agree even if another process is replacing the rows.
const LOAD = `
  SELECT s.server, s.launch, s.era, t.name, t.fingerprint, t.away
  FROM (${FOUND}) AS s LEFT JOIN inventory_tools AS t ON t.scope = s.scope AND t.server = s.server
  ORDER BY t.position`;
const DEFINITIONS = `
  SELECT d.tool, d.fingerprint, d.definition
  FROM (${FOUND}) AS s
  JOIN inventory_tools AS t ON t.scope = s.scope AND t.server = s.server
  JOIN accepted_definitions AS d
    ON d.scope = t.scope AND d.server = t.server AND d.tool = t.name AND d.fingerprint = t.fingerprint
  ORDER BY t.position`;
const SAVE_SERVER = `
  INSERT INTO inventory_servers (scope, server, launch, era, saved_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (scope, server) DO UPDATE SET launch = excluded.launch, era = excluded.era, saved_at = excluded.saved_at`;
const REMOVE_TOOLS = "DELETE FROM inventory_tools WHERE scope = ? AND server = ?";
/** One statement for all tools: a server may have thousands, and binding each costs more than writing it. */
const ADD_TOOLS = `
  INSERT INTO inventory_tools (scope, server, position, name, fingerprint, away)
  SELECT ?, ?, key, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`;
const ADD_DEFINITIONS = `
  INSERT OR REPLACE INTO accepted_definitions (scope, server, tool, fingerprint, definition)
  SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`;
const REMOVE_DEFINITIONS = `
  DELETE FROM accepted_definitions
  WHERE scope = ?1 AND server = ?2
    AND tool NOT IN (SELECT name FROM inventory_tools WHERE scope = ?1 AND server = ?2)`;

interface LoadedRow {
  readonly server: string;
  readonly launch: string;
  readonly era: Era | null;
  /** Null for a server without tools, which has a single row. */
  readonly name: string | null;
  readonly fingerprint: string | null;
  readonly away: number | null;
}

interface DefinitionRow {
  readonly tool: string;
  readonly fingerprint: string;
  readonly definition: string;
}

export function createInventory(
  database: DatabaseSyncInstance,
  writer: GroupWriter,
  { now }: InventoryOptions,
): Inventory {
  const load = prepareLazily(database, LOAD);
  const loadDefinitions = prepareLazily(database, DEFINITIONS);
  const saveServer = prepareLazily(database, SAVE_SERVER);
  const removeTools = prepareLazily(database, REMOVE_TOOLS);
  const addTools = prepareLazily(database, ADD_TOOLS);
  const addDefinitions = prepareLazily(database, ADD_DEFINITIONS);
  const removeDefinitions = prepareLazily(database, REMOVE_DEFINITIONS);

  return {
    async load({ scope, server, launch }: InventoryName) {
      const rows: readonly LoadedRow[] = load().all(scope, server, launch);
      const [first] = rows;
      if (first === undefined) return undefined;
      return {
        scope,
        server: first.server,
        launch: first.launch,
        ...(first.era !== null && { era: first.era }),
        tools: rows.flatMap(({ name, fingerprint, away }) =>
          name === null || fingerprint === null ? [] : [{ name, fingerprint, ...(away === 1 && { isAway: true }) }],
        ),
      };
    },
    async save({ scope, server, launch, era, tools }: ServerInventory, definitions: readonly AcceptedDefinition[]) {
      const savedAt = new Date(now()).toISOString();
      const rows = JSON.stringify(
        tools.map(({ name, fingerprint, isAway }) => [name, fingerprint, isAway === true ? 1 : null]),
      );
      const accepted = JSON.stringify(
        definitions.map(({ tool, fingerprint, definition }) => [tool, fingerprint, JSON.stringify(definition)]),
      );
      await writer.write(() =>
        inSavepoint(database, () => {
          saveServer().run(scope, server, launch, era ?? null, savedAt);
          removeTools().run(scope, server);
          addTools().run(scope, server, rows);
          if (definitions.length > 0) addDefinitions().run(scope, server, accepted);
          removeDefinitions().run(scope, server);
        }),
      );
    },
    async definitions({ scope, server, launch }: InventoryName) {
      const rows: readonly DefinitionRow[] = loadDefinitions().all(scope, server, launch);
      return rows.flatMap(({ tool, fingerprint, definition: text }): AcceptedDefinition[] => {
        const definition: unknown = JSON.parse(text);
        return isJsonObject(definition) ? [{ tool, fingerprint, definition }] : [];
      });
    },
  };
}
