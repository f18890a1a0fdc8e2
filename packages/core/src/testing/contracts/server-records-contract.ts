import type { ServerRecord, ServerRecords } from "../../ports/server-records.ts";
import { assertEqual, type ContractCase } from "./contract.ts";

const ONE: ServerRecord = { id: "7d444840-9dc0-41d1-b245-5ffdce74fad2", name: "One", transport: "http", enabled: true };
const TWO: ServerRecord = { id: "16fd2706-8baf-433b-82eb-8c7fada847da", name: "Two", transport: "sse", enabled: false };

export function serverRecordsContract(create: () => Promise<ServerRecords> | ServerRecords): ContractCase[] {
  return [
    {
      name: "returns records as they were saved, in the order they were first saved",
      run: async () => {
        const records = await create();
        await records.save(ONE);
        await records.save(TWO);
        await records.save({ ...ONE, name: "Uno" });
        assertEqual(await records.list(), [{ ...ONE, name: "Uno" }, TWO], "records");
        assertEqual(await records.load(TWO.id), TWO, "the second");
      },
    },
    {
      name: "knows nothing of ids that were never saved or are removed",
      run: async () => {
        const records = await create();
        await records.save(ONE);
        assertEqual(await records.load(TWO.id), undefined, "never saved");
        assertEqual([await records.remove(ONE.id), await records.remove(ONE.id)], [true, false], "removing twice");
        assertEqual(await records.list(), [], "records");
      },
    },
    {
      name: "T1.9 returns copies: changing one does not change the saved record",
      run: async () => {
        const records = await create();
        const saved = { ...ONE, headers: { Accept: "a" } };
        await records.save(saved);
        saved.headers.Accept = "b";
        const loaded = await records.load(ONE.id);
        if (loaded !== undefined) Object.assign(loaded, { name: "changed" });
        assertEqual(await records.load(ONE.id), { ...ONE, headers: { Accept: "a" } }, "the record");
      },
    },
  ];
}
