import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { Grant, type Grants } from "@tacklebox/core";
import { createJsonTable } from "./json-table.ts";
import { toKey } from "./parameters.ts";
import type { GroupWriter } from "./writing/group-writer.ts";

// Replaces the grant for the same tool and session; the new one becomes the latest.
const SAVE = `
  INSERT OR REPLACE INTO grants (id, scope, server, tool, session_id, value) VALUES (?, ?, ?, ?, ?, ?)`;

// Hand-written SQL instead of the query builder, because calls look up grants.
export function createGrants(database: DatabaseSyncInstance, writer: GroupWriter): Grants {
  const table = createJsonTable(database, writer, { name: "grants", key: "id", label: "The grant", schema: Grant });
  const save = table.save(SAVE);
  const list = table.select("ORDER BY seq");
  const listOfTool = table.select("WHERE scope = ? AND server = ? AND tool = ? ORDER BY seq");

  return {
    async save(grant) {
      const { id, scope, server, tool, sessionId } = grant;
      const session = sessionId === undefined ? null : toKey(sessionId);
      await save(grant, toKey(id), toKey(scope), toKey(server), toKey(tool), session);
    },
    list: async (tool) =>
      tool === undefined ? list() : listOfTool(toKey(tool.scope), toKey(tool.server), toKey(tool.name)),
    remove: (id) => table.remove(id),
  };
}
