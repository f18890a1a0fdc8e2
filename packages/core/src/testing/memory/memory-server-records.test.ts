import { describe, it } from "vitest";
import { serverRecordsContract } from "../contracts/server-records-contract.ts";
import { createMemoryServerRecords } from "./memory-server-records.ts";

describe("the memory records keep the contract of server records", () => {
  for (const test of serverRecordsContract(createMemoryServerRecords)) it(test.name, test.run);
});
