import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { type Definitions, isJsonObject, type ShownDefinition } from "@tacklebox/core";
import { prepareLazily } from "./prepare-lazily.ts";
import type { GroupWriter } from "./writing/group-writer.ts";

const LOAD = "SELECT tool, definition FROM shown_definitions WHERE scope = ? AND server = ?";
const SAVE = `
  INSERT OR REPLACE INTO shown_definitions (scope, server, tool, definition)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`;

interface DefinitionRow {
  readonly tool: string;
  readonly definition: string;
}

export function createDefinitions(database: DatabaseSyncInstance, writer: GroupWriter): Definitions {
  const load = prepareLazily(database, LOAD);
  const save = prepareLazily(database, SAVE);

  return {
    async load(scope, server) {
      const rows: readonly DefinitionRow[] = load().all(scope, server);
      return rows.flatMap(({ tool, definition: text }): ShownDefinition[] => {
        const definition: unknown = JSON.parse(text);
        return isJsonObject(definition) ? [{ scope, server, tool, definition }] : [];
      });
    },
    async save(definitions) {
      const rows = definitions.map(({ scope, server, tool, definition }) => [
        scope,
        server,
        tool,
        JSON.stringify(definition),
      ]);
      await writer.write(() => void save().run(JSON.stringify(rows)));
    },
  };
}
