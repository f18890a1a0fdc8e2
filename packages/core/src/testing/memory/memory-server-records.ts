import type { ServerRecord, ServerRecords } from "../../ports/server-records.ts";

/** Server records in memory. */
export function createMemoryServerRecords(): ServerRecords {
  const records = new Map<string, ServerRecord>();
  return {
    list: async () => structuredClone([...records.values()]),
    load: async (id) => structuredClone(records.get(id)),
    async save(record) {
      records.set(record.id, structuredClone(record));
    },
    remove: async (id) => records.delete(id),
  };
}
