import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { Gpt, type Gpts } from "@tacklebox/core";
import { createJsonTable } from "./json-table.ts";
import { toKey } from "./parameters.ts";
import type { GroupWriter } from "./writing/group-writer.ts";

const SAVE = "INSERT INTO gpts (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";

export function createGpts(database: DatabaseSyncInstance, writer: GroupWriter): Gpts {
  const table = createJsonTable(database, writer, { name: "gpts", key: "key", label: "The GPT", schema: Gpt });
  const save = table.save(SAVE);
  const list = table.select("ORDER BY seq");

  return {
    save: (gpt) => save(gpt, toKey(gpt.key)),
    list: async () => list(),
    remove: (key) => table.remove(key),
  };
}
