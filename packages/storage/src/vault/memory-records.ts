import type { SecretRecord, SecretRecords } from "./secret-record.ts";

export function createMemoryRecords(initial: readonly SecretRecord[] = []): SecretRecords {
  const records = new Map(initial.map((record) => [record.name, record]));
  return {
    load: async (name) => records.get(name),
    list: async () => [...records.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    save: async (record) => void records.set(record.name, record),
    remove: async (name) => records.delete(name),
  };
}
