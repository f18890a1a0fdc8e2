import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it, vi } from "vitest";
import { sampleCall } from "../../testing/sample-call.ts";
import { createTemporaryFolder } from "../../testing/temporary-folder.ts";
import { testMembership } from "../../testing/test-membership.ts";
import { createStore } from "../create-store.ts";
import { readNumber } from "../migrations.ts";
import { openDatabase } from "../open-database.ts";

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

const ALL = { keepAtMost: 0, keepBytes: 1_000_000_000 };
const NONE = { keepAtMost: 1_000, keepBytes: 1_000_000_000 };

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

  it("does not look at single calls while the whole file is within its bytes", async () => {
    await using bench = await setUp(100);
    const prepare = vi.spyOn(bench.database, "prepare");
    expect(await bench.store.calls.prune(NONE)).toBe(0);
    expect(prepare.mock.calls.flat().filter((sql) => typeof sql === "string" && sql.includes("octet_length"))).toEqual(
      [],
    );
    expect(await bench.store.calls.prune({ ...NONE, keepBytes: 10_000 })).toBeGreaterThan(0);
    expect(
      prepare.mock.calls.flat().filter((sql) => typeof sql === "string" && sql.includes("octet_length")),
    ).toHaveLength(1);
    prepare.mockRestore();
  });

  it("F4 finds the newest call before a time among many, also behind calls dated in the future", async () => {
    await using bench = await setUp(0);
    const start = Date.parse("2026-01-01T00:00:00.000Z");
    const at = (minute: number) => new Date(start + minute * 60_000).toISOString();
    const future = "2028-01-01T00:00:00.000Z";
    const save = (id: string, startedAt: string) =>
      bench.store.calls.save(sampleCall({ id, status: "success", startedAt }));
    await save("first", future);
    for (let minute = 0; minute < 300; minute += 1) await save(`${minute}`, at(minute));
    for (const id of ["a", "b", "c"]) await save(id, future);
    await bench.store.calls.prune({ ...NONE, keepAtMost: 290 });
    for (const minute of [20, 21, 150, 298, 299])
      expect(await bench.store.calls.newestBefore(at(minute + 0.5))).toBe(at(minute));
    expect(await bench.store.calls.newestBefore(at(5))).toBeUndefined();
    expect(await bench.store.calls.newestBefore("9999-01-01T00:00:00.000Z")).toBe(future);
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
