import { describe, it } from "vitest";
import { createMemoryServerRecords } from "./memory-server-records.ts";
import { serverRecordsContract } from "./server-records-contract.ts";

describe("the memory records keep the contract of server records", () => {
  for (const test of serverRecordsContract(createMemoryServerRecords)) it(test.name, test.run);
});
