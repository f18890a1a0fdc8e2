import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it, vi } from "vitest";
import { sampleCall } from "../testing/sample-call.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { testMembership } from "../testing/test-membership.ts";
import { createStore } from "./create-store.ts";
import { readNumber } from "./migrations.ts";
import { openDatabase } from "./open-database.ts";

async function setUp(count: number) {
  const folder = await createTemporaryFolder();
  const file = folder.at("tacklebox.db");
  const database = await openDatabase({ file, synchronous: "NORMAL", busyTimeoutMs: 20 });
  const store = createStore(database, {
    file,
    ...testMembership(),
    busyTimeoutMs: 20,
  });
  await Promise.all(
    Array.from({ length: count }, (_, index) => store.calls.save(sampleCall({ id: `${index}`, status: "success" }))),
  );
  return {
    file,
    database,
    store,
    left: () => readNumber(database, "SELECT count(*) FROM calls"),
    async [Symbol.asyncDispose]() {
      await store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const ALL = { olderThan: "2027-01-01T00:00:00.000Z", keepAtMost: 1_000 };
const NONE = { olderThan: "2000-01-01T00:00:00.000Z", keepAtMost: 1_000 };

describe("pruning calls", () => {
  it("takes several short transactions, and saves do not wait for the last of them", async () => {
    await using bench = await setUp(1_000);
    const exec = vi.spyOn(bench.database, "exec");
    const pruning = bench.store.calls.prune(ALL);
    await bench.store.calls.save(sampleCall({ id: "meanwhile" }));
    expect(bench.left()).toBeGreaterThan(1);
    expect(await pruning).toBe(1_000);
    expect(bench.left()).toBe(1);
    // Four of 250 calls each, and one that folds their links.
    expect(exec.mock.calls.flat().filter((sql) => sql === "COMMIT")).toHaveLength(5);
    exec.mockRestore();
  });

  it("takes no lock when there is nothing to remove", async () => {
    await using bench = await setUp(10);
    const holder = new DatabaseSync(bench.file);
    holder.exec("BEGIN IMMEDIATE");
    expect(await bench.store.calls.prune(NONE)).toBe(0);
    await expect(bench.store.calls.prune(ALL)).rejects.toMatchObject({ code: "write-failed" });
    holder.exec("ROLLBACK");
    holder.close();
  });

  it("removes no more if two processes do it at once than one alone would", async () => {
    await using bench = await setUp(1_500);
    const other = createStore(await openDatabase({ file: bench.file, synchronous: "NORMAL", busyTimeoutMs: 5_000 }), {
      file: bench.file,
      ...testMembership("other"),
      busyTimeoutMs: 5_000,
    });
    const removed = await Promise.all([bench.store.calls.prune(NONE), other.calls.prune(NONE)]);
    expect(removed[0] + removed[1]).toBe(500);
    expect(bench.left()).toBe(1_000);
    await other.close();
  });

  it("ends when the store is closed meanwhile", async () => {
    await using bench = await setUp(1_000);
    const pruning = bench.store.calls.prune(ALL);
    await bench.store.close();
    expect(await pruning).toBeLessThan(1_000);
  });

  it("reuses the space of removed calls", async () => {
    await using bench = await setUp(1_000);
    const pages = () => readNumber(bench.database, "PRAGMA page_count");
    const before = pages();
    await bench.store.calls.prune(ALL);
    // The chain remembers the ids of removed calls until it can fold those links too.
    const again = Array.from({ length: 800 }, (_, index) => sampleCall({ id: `again-${index}`, status: "success" }));
    await Promise.all(again.map((record) => bench.store.calls.save(record)));
    expect(pages()).toBeLessThanOrEqual(before);
  });
});
