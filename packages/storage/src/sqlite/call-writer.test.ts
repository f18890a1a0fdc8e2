import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { CallRecord, Store } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sampleCall } from "../testing/sample-call.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../testing/temporary-folder.ts";
import { testMembership } from "../testing/test-membership.ts";
import { createStore } from "./create-store.ts";
import { openDatabase } from "./open-database.ts";

describe("writing calls", () => {
  let folder: TemporaryFolder;
  let file: string;
  let database: DatabaseSyncInstance;
  let store: Store;

  beforeEach(async () => {
    folder = await createTemporaryFolder();
    file = folder.at("tacklebox.db");
    database = await openDatabase({ file, synchronous: "FULL", busyTimeoutMs: 20 });
    store = asStore(database);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await store.close();
    await folder[Symbol.asyncDispose]();
  });

  function asStore(connection: DatabaseSyncInstance, id = "mine", busyTimeoutMs = 20): Store {
    return createStore(connection, { file, ...testMembership(id), busyTimeoutMs });
  }

  function idsOf(count: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => `call-${index}`);
  }

  function saveMany(ids: readonly string[]): Promise<readonly PromiseSettledResult<void>[]> {
    return Promise.allSettled(ids.map((id) => store.calls.save(sampleCall({ id }))));
  }

  async function savedIds(): Promise<readonly string[]> {
    return (await store.calls.list({ limit: 1000 })).map((call) => call.id).sort();
  }

  it("commits everything saved in one event loop turn together", async () => {
    const exec = vi.spyOn(database, "exec");
    await saveMany(idsOf(30));
    expect(exec.mock.calls.flat()).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
    await store.calls.save(sampleCall({ id: "later" }));
    expect(exec.mock.calls.flat()).toEqual(["BEGIN IMMEDIATE", "COMMIT", "BEGIN IMMEDIATE", "COMMIT"]);
    expect(await savedIds()).toHaveLength(31);
  });

  it("starts half of many calls first if all would wait for one commit and then for their servers", async () => {
    const saved: string[] = [];
    const exec = vi.spyOn(database, "exec").mockImplementation((sql) => {
      if (sql === "COMMIT") saved.push("commit");
      return DatabaseSync.prototype.exec.call(database, sql);
    });
    const memos = new Map(idsOf(64).map((id) => [id, {}]));
    const begin = async (id: string) => {
      await store.calls.save(sampleCall({ id }), memos.get(id));
      saved.push("begun");
    };
    await Promise.all(idsOf(64).map(begin));
    expect(saved).toEqual(["commit", ...Array(32).fill("begun"), "commit", ...Array(32).fill("begun")]);
    exec.mockClear();
    await Promise.all(idsOf(64).map((id) => store.calls.save(sampleCall({ id, status: "success" }), memos.get(id))));
    expect(exec).toHaveBeenCalledTimes(2);
  });

  it("starts calls before it settles the ends of others in the same commit", async () => {
    const running = sampleCall({ id: "first" });
    const memo = {};
    await store.calls.save(running, memo);
    const order: string[] = [];
    const ended = store.calls.save({ ...running, status: "success" }, memo).then(() => order.push("ended"));
    const begun = store.calls.save(sampleCall({ id: "second" })).then(async () => {
      order.push("begun");
      await Promise.resolve();
      process.nextTick(() => order.push("sent"));
    });
    await Promise.all([ended, begun]);
    expect(order).toEqual(["begun", "sent", "ended"]);
  });

  it("does not count calls whose start could not be written", async () => {
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    await saveMany(["a", "b"]);
    holder.exec("ROLLBACK");
    holder.close();
    const exec = vi.spyOn(database, "exec");
    await saveMany(idsOf(64));
    expect(exec).toHaveBeenCalledTimes(4);
  });

  it("makes the first save after a group of several wait for those that follow in the next turn", async () => {
    const end = (id: string) => store.calls.save(sampleCall({ id, status: "success" }));
    await Promise.all([end("a"), end("b")]);
    const exec = vi.spyOn(database, "exec");
    const first = end("c");
    await new Promise(setImmediate);
    await Promise.all([first, end("d")]);
    expect(exec.mock.calls.flat()).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
  });

  it("does not resolve a save before another connection can read it", async () => {
    const other = new DatabaseSync(file);
    const count = other.prepare("SELECT count(*) AS count FROM calls");
    const saving = store.calls.save(sampleCall());
    expect(count.get()).toMatchObject({ count: 0 });
    await saving;
    expect(count.get()).toMatchObject({ count: 1 });
    other.close();
  });

  it("rejects the whole group when it cannot be committed, and only that group", async () => {
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    const refused = await saveMany(["a", "b"]);
    const busy = expect.objectContaining({
      code: "write-failed",
      message: `Could not write to ${file}: another process has it locked; try again, or stop that process.`,
    });
    expect(refused).toEqual([
      { status: "rejected", reason: busy },
      { status: "rejected", reason: busy },
    ]);
    holder.exec("ROLLBACK");
    holder.close();
    await store.calls.save(sampleCall({ id: "c" }));
    expect(await savedIds()).toEqual(["c"]);
  });

  it("waits for another process that keeps the file locked, without blocking the event loop", async () => {
    const patient = asStore(database, "mine", 60_000);
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    let saved = 0;
    const count = () => {
      saved += 1;
    };
    const saves = ["a", "b"].map((id) => patient.calls.save(sampleCall({ id })).then(count));
    // Long enough for several attempts; the assertion is only that the event loop keeps turning.
    await new Promise((resolve) => setTimeout(resolve, 100));
    saves.push(patient.calls.save(sampleCall({ id: "c" })).then(count));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(saved).toBe(0);
    holder.exec("ROLLBACK");
    holder.close();
    await Promise.all(saves);
    expect(await savedIds()).toEqual(["a", "b", "c"]);
  });

  it("writes what is waiting when it is closed, even if the file was locked a moment ago", async () => {
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    const patient = asStore(await openDatabase({ file, synchronous: "FULL", busyTimeoutMs: 20 }), "patient", 60_000);
    const saving = patient.calls.save(sampleCall());
    await new Promise((resolve) => setTimeout(resolve, 50));
    holder.exec("ROLLBACK");
    holder.close();
    await Promise.all([saving, patient.close()]);
    expect(await savedIds()).toEqual(["call-1"]);
  });

  it("rejects saves while the disk is full and works again once there is space", async () => {
    const pages = database.prepare("PRAGMA page_count", { returnArrays: true }).get()[0];
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const large = sampleCall({ id: "large", arguments: { text: "x".repeat(1_000_000) } });
    const refused = await Promise.allSettled([store.calls.save(large), store.calls.save(sampleCall({ id: "small" }))]);
    const full = expect.objectContaining({
      code: "write-failed",
      message: `Could not write to ${file}: the disk is full; free some space and try again.`,
    });
    expect(refused).toEqual([
      { status: "rejected", reason: full },
      { status: "rejected", reason: full },
    ]);
    database.exec("PRAGMA max_page_count = 1000000");
    await store.calls.save(large);
    expect(await savedIds()).toEqual(["large"]);
  });

  it("rejects saves, recovery and inventory on a read-only file, and still reads", async () => {
    await store.calls.save(sampleCall());
    const readOnly = asStore(new DatabaseSync(file, { readOnly: true }), "reader");
    const refusal = {
      code: "write-failed",
      message: `Could not write to ${file}: it is read-only; make it writable for this user.`,
    };
    await store.calls.save(sampleCall({ id: "orphan", owner: "gone" }));
    await expect(readOnly.calls.save(sampleCall({ id: "b" }))).rejects.toMatchObject(refusal);
    await expect(readOnly.calls.recover()).rejects.toMatchObject(refusal);
    await expect(
      readOnly.inventory.save({ scope: "agent", server: "s", launch: "s@1", tools: [] }, []),
    ).rejects.toMatchObject(refusal);
    expect((await readOnly.calls.load("call-1"))?.id).toBe("call-1");
    await readOnly.close();
  });

  it("refuses only an entry that is too large, not the others of its group", async () => {
    database.limits.length = 100_000;
    const large = sampleCall({ id: "large", arguments: { text: "x".repeat(200_000) } });
    const [refused, saved] = await Promise.allSettled([
      store.calls.save(large),
      store.calls.save(sampleCall({ id: "small" })),
    ]);
    expect(refused).toEqual({
      status: "rejected",
      reason: expect.objectContaining({
        message: `Could not write to ${file}: the entry is larger than the database can hold.`,
      }),
    });
    expect(saved).toEqual({ status: "fulfilled", value: undefined });
    expect(await savedIds()).toEqual(["small"]);
  });

  it("writes the whole record at the end of a call whose row was lost meanwhile", async () => {
    const running = sampleCall({ decision: "door: auto" });
    const memo = {};
    await store.calls.save(running, memo);
    database.exec("DELETE FROM calls");
    const ended = { ...running, status: "success", completedAt: "2026-08-01T10:00:01.000Z" } as const;
    await store.calls.save(ended, memo);
    expect(await store.calls.load(running.id)).toStrictEqual(ended);
  });

  it("writes the end of a call whose start could not be written", async () => {
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    await expect(store.calls.save(sampleCall())).rejects.toMatchObject({ code: "write-failed" });
    holder.exec("ROLLBACK");
    holder.close();
    await store.calls.save(sampleCall({ status: "success" }));
    expect((await store.calls.load("call-1"))?.status).toBe("success");
  });

  it.each<Partial<CallRecord>>([
    { arguments: { id: 8 } },
    { decision: "another" },
    { shownName: "other" },
    { owner: "another" },
    { caller: { door: "web", client: "another" } },
  ])("writes other changes along with a call's end: %j", async (change) => {
    const running = sampleCall({ decision: "door: auto", caller: { door: "web" } });
    const memo = {};
    await store.calls.save(running, memo);
    const ended = { ...running, ...change, status: "error", ending: "cancelled", sent: true } as const;
    await store.calls.save(ended, memo);
    expect(await store.calls.load(running.id)).toStrictEqual(ended);
  });

  it.each<Partial<CallRecord>>([
    { status: "success" },
    { status: "error", ending: "cancelled", sent: false },
    { status: "error", ending: "timed-out", sent: true },
  ])("writes only the end if nothing else changed: %j", async (end) => {
    const running = sampleCall({ caller: { door: "acp", client: "An editor" } });
    const memo = {};
    await store.calls.save(running, memo);
    database.exec("UPDATE calls SET shown_name = 'as it was'");
    const ended = { ...running, ...end, times: { personMs: 0, slotMs: 12, runMs: 345 } };
    await store.calls.save(ended, memo);
    expect(await store.calls.load(running.id)).toStrictEqual({ ...ended, shownName: "as it was" });
  });

  it("does not change a call that another process has ended meanwhile", async () => {
    const running = sampleCall();
    const memo = {};
    await store.calls.save(running, memo);
    database.exec("UPDATE calls SET status = 'error', ending = 'interrupted'");
    await store.calls.save({ ...running, status: "success" }, memo);
    expect(await store.calls.load(running.id)).toStrictEqual({ ...running, status: "error", ending: "interrupted" });
  });

  it("passes on SQLite's message for a failure without one of its own", async () => {
    database.exec("DROP TABLE calls");
    await expect(store.calls.save(sampleCall())).rejects.toMatchObject({
      code: "write-failed",
      message: `Could not write to ${file}: no such table: calls.`,
    });
  });

  it("keeps results of any size whole", async () => {
    const result = { content: [{ type: "text", text: "ü".repeat(5_000_000) }], isError: false };
    await store.calls.save(sampleCall({ status: "success", result }));
    expect((await store.calls.load("call-1"))?.result).toEqual(result);
  });

  it("names the damaged row that a list contains", async () => {
    await saveMany(["a", "b"]);
    database.exec("UPDATE calls SET result = '{' WHERE id = 'a'");
    await expect(store.calls.list({ limit: 10 })).rejects.toMatchObject({
      code: "damaged-row",
      message:
        'The call "a" cannot be read: the column result of its row is damaged. ' +
        "Restore the file from a backup, or delete that row from the table calls.",
    });
    expect((await store.calls.load("b"))?.id).toBe("b");
  });

  it("replaces an inventory as a whole or not at all", async () => {
    const before = { scope: "agent", server: "s", launch: "s@1", tools: [{ name: "a", fingerprint: "1" }] };
    await store.inventory.save(before, []);
    database.exec(
      "CREATE TRIGGER refuse BEFORE INSERT ON inventory_tools WHEN NEW.name = 'c' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    const next = ["b", "c"].map((name) => ({ name, fingerprint: "2" }));
    await expect(store.inventory.save({ ...before, tools: next }, [])).rejects.toMatchObject({ code: "write-failed" });
    expect(await store.inventory.load(before)).toEqual(before);
  });
});
