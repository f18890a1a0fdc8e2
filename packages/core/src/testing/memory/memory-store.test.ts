import { describe, expect, it } from "vitest";
import type { CallRecord } from "../../domain/call.ts";
import { storeContract } from "../contracts/store-contract.ts";
import { createMemoryContents, createMemoryStore } from "./memory-store.ts";

describe("the memory store", () => {
  for (const test of storeContract(async (options) => {
    const contents = createMemoryContents();
    return {
      store: createMemoryStore(options, contents),
      join: async (other) => createMemoryStore(other, contents),
      async cleanup() {},
    };
  })) {
    it(test.name, () => test.run());
  }

  const record: CallRecord = {
    id: "call-1",
    scope: "agent",
    server: "customers",
    toolName: "get_customer",
    shownName: "get_customer",
    arguments: {},
    status: "running",
    startedAt: "2026-08-01T10:00:00.000Z",
    owner: "gone",
  };

  it("fails the saves that `failSave` rejects, and keeps nothing of them", async () => {
    const store = createMemoryStore({
      failSave: (call) => (call.status === "running" ? new Error("disk full") : undefined),
    });
    await expect(store.calls.save(record)).rejects.toThrow("disk full");
    expect(await store.calls.load("call-1")).toBeUndefined();
    await store.calls.save({ ...record, status: "pending" });
    expect((await store.calls.load("call-1"))?.status).toBe("pending");
  });

  it("treats every other owner as dead by default", async () => {
    const store = createMemoryStore();
    await store.calls.save(record);
    expect(await store.calls.recover()).toBe(1);
    expect((await store.calls.load("call-1"))?.completedAt).toBe("1970-01-01T00:00:00.000Z");
  });
});
