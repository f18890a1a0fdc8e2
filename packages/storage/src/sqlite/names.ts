import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { HeldName, KeptNames, Names, Scope } from "@tacklebox/core";
import { prepareLazily } from "./prepare-lazily.ts";
import type { GroupWriter } from "./writing/group-writer.ts";
import { inSavepoint } from "./writing/in-transaction.ts";

// Hand-written SQL, because every start runs it and the query builder would have to be loaded first.
const LOAD = "SELECT name, scope, server, tool FROM tool_names WHERE source = ?";
const ADD = `
  INSERT OR IGNORE INTO tool_names (source, name, scope, server, tool)
  SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`;
const FORGET = `
  DELETE FROM tool_names WHERE source = ?
  AND EXISTS (SELECT 1 FROM json_each(?) WHERE value ->> 0 = scope AND value ->> 1 = server)`;

interface NameRow {
  readonly name: string;
  readonly scope: Scope;
  readonly server: string;
  readonly tool: string;
}

export function createNames(database: DatabaseSyncInstance, writer: GroupWriter): Names {
  const load = prepareLazily(database, LOAD);
  const add = prepareLazily(database, ADD);
  const forget = prepareLazily(database, FORGET);

  return {
    async load(source) {
      const rows: readonly NameRow[] = load().all(source);
      return rows.map(({ name, scope, server, tool }): HeldName => ({ name, ref: { scope, server, name: tool } }));
    },
    async keep(source, { added, removed }: KeptNames) {
      const gone = JSON.stringify(removed.map(({ scope, server }) => [scope, server]));
      const rows = JSON.stringify(added.map(({ name, ref }) => [name, ref.scope, ref.server, ref.name]));
      await writer.write(() =>
        inSavepoint(database, () => {
          forget().run(source, gone);
          add().run(source, rows);
        }),
      );
    },
  };
}
