import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from "@photostructure/sqlite";
import { allAlive, allDead } from "@tacklebox/core/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sampleCall } from "../../testing/sample-call.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../testing/temporary-folder.ts";
import { testMembership } from "../../testing/test-membership.ts";
import { createStore, type SqliteStore } from "../create-store.ts";
import { MIGRATIONS, migrate, readNumber } from "../migrations.ts";
import { openDatabase } from "../open-database.ts";
import { beginChain } from "./begin-chain.ts";
import { toRepairedEntry } from "./link.ts";
import { verifyChain } from "./verify-chain.ts";

const INTACT = { broken: [], brokenCount: 0 };
const ALL = { keepAtMost: 0, keepBytes: 1_000_000_000 };

describe("the chain over the call log", () => {
  let folder: TemporaryFolder;
  let file: string;
  let database: DatabaseSyncInstance;
  let store: SqliteStore;

  beforeEach(async () => {
    folder = await createTemporaryFolder();
    file = folder.at("tacklebox.db");
    database = await openDatabase({ file, synchronous: "NORMAL", busyTimeoutMs: 5_000 });
    store = createStore(database, { file, ...testMembership(), busyTimeoutMs: 5_000 });
  });

  afterEach(async () => {
    await store.close();
    await folder[Symbol.asyncDispose]();
  });

  /** Saves calls as the engine does: first as running, then with their end. */
  async function makeCalls(to: SqliteStore, ids: readonly string[]): Promise<void> {
    await Promise.all(
      ids.map(async (id) => {
        const running = sampleCall({ id, owner: to.members.id });
        const memo = {};
        await to.calls.save(running, memo);
        const result = { content: [{ type: "text", text: `about ${id}` }], isError: false };
        const times = { personMs: 0, slotMs: 1, runMs: 2 };
        await to.calls.save(
          { ...running, status: "success", result, completedAt: "2026-08-01T10:00:01.000Z", times },
          memo,
        );
      }),
    );
  }

  function ids(prefix: string, count: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  }

  it("covers calls however they end, and none that is open", async () => {
    await makeCalls(store, ids("a", 40));
    await store.calls.save(sampleCall({ id: "denied", status: "error", ending: "denied", error: "no" }));
    await store.calls.save(sampleCall({ id: "open" }));
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 41, before: 0, removed: 0, open: 1 });
  });

  it("covers names and texts that SQLite does not store as they are", async () => {
    const odd = { server: "a\0b", toolName: "lone \ud800 half", shownName: "ünï\ncode" };
    const error = "cut \0 here";
    await store.calls.save(sampleCall({ id: 'quo"te\n', status: "error", ending: "tool-error", error, ...odd }));
    const running = sampleCall({ id: "end", ...odd });
    const memo = {};
    await store.calls.save(running, memo);
    await store.calls.save({ ...running, status: "success", completedAt: "2026-08-01T10:00:01.000Z" }, memo);
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 2 });
  });

  it("covers a late answer, and notices if it is taken away", async () => {
    await store.calls.save(sampleCall({ id: "late", status: "error", ending: "timed-out", error: "too slow" }));
    await store.calls.noteLateAnswer("late", "2026-08-01T10:00:02.000Z");
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 1 });
    database.exec("UPDATE calls SET late_answer_at = NULL");
    expect(verifyChain(database)).toMatchObject({ verified: 0, broken: [{ kind: "changed", call: { id: "late" } }] });
  });

  it("takes a late answer for no more than that: the rest of the call has to be as it ended", async () => {
    await store.calls.save(sampleCall({ id: "late", status: "error", ending: "timed-out", error: "too slow" }));
    const { head } = verifyChain(database);
    database.exec("UPDATE calls SET arguments = '{}', error = 'something else'");
    await store.calls.noteLateAnswer("late", "2026-08-01T10:00:02.000Z");
    await store.calls.noteLateAnswer("late", "2026-08-01T10:00:03.000Z");
    expect(verifyChain(database, head?.hash)).toMatchObject({
      verified: 0,
      expected: "found",
      brokenCount: 1,
      broken: [{ kind: "changed", call: { id: "late" } }],
    });
  });

  it("finds a call that was added, even if another was opened again to make the numbers agree", async () => {
    await makeCalls(store, ["kept", "opened"]);
    database.exec(`
      INSERT INTO calls SELECT 99, 'added', scope, server, tool_name, shown_name, arguments, status, ending, error, result,
        decision, started_at, completed_at, owner, late_answer_at, caller, person_ms, slot_ms, run_ms, sent
        FROM calls WHERE id = 'kept';
      UPDATE calls SET status = 'running' WHERE id = 'opened'`);
    expect(verifyChain(database).broken.map(({ kind, call }) => [kind, call?.id])).toEqual([
      ["changed", "opened"],
      ["unrecorded", "added"],
    ]);
  });

  it("covers calls that a dead process left open", async () => {
    await store.calls.save(sampleCall({ id: "left", owner: "dead" }));
    const other = createStore(await openDatabase({ file, synchronous: "NORMAL", busyTimeoutMs: 5_000 }), {
      file,
      ...testMembership("other"),
      processes: allDead,
      busyTimeoutMs: 5_000,
    });
    expect(await other.calls.recover()).toBe(1);
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 1, open: 0 });
    await other.close();
  });

  it("is one chain for several connections that write at once", async () => {
    const others = await Promise.all(
      ["b", "c"].map(async (id) =>
        createStore(await openDatabase({ file, synchronous: "NORMAL", busyTimeoutMs: 5_000 }), {
          file,
          ...testMembership(id),
          processes: allAlive,
          busyTimeoutMs: 5_000,
        }),
      ),
    );
    for (let round = 0; round < 10; round += 1)
      await Promise.all([store, ...others].map((one, index) => makeCalls(one, ids(`${round}-${index}`, 5))));
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 150 });
    for (const other of others) await other.close();
  });

  it("is one chain for connections that take turns, also after commits that failed", async () => {
    const connection = await openDatabase({ file, synchronous: "NORMAL", busyTimeoutMs: 5_000 });
    const other = createStore(connection, { file, ...testMembership("other"), busyTimeoutMs: 5_000 });
    for (const turn of ["a", "b", "c"]) {
      await makeCalls(store, [`mine ${turn}`, `also mine ${turn}`]);
      database.exec("CREATE TEMP TRIGGER refuse BEFORE INSERT ON call_links BEGIN SELECT RAISE(ROLLBACK, 'no'); END");
      await expect(makeCalls(store, [`lost ${turn}`])).rejects.toMatchObject({ code: "write-failed" });
      database.exec("DROP TRIGGER refuse");
      await makeCalls(store, [`after the failure ${turn}`]);
      await makeCalls(other, [`of the other ${turn}`]);
    }
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 12, open: 3 });
    await other.close();
  });

  it("has no entry for a save that was ignored or refused", async () => {
    await store.calls.save(sampleCall({ id: "once", status: "success" }));
    await store.calls.save(sampleCall({ id: "once", status: "error", ending: "denied", error: "changed my mind" }));
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 1 });
  });

  it("counts removed calls, and folds links none of whose calls is left", async () => {
    const links = () => readNumber(database, "SELECT count(*) FROM call_links");
    for (let round = 0; round < 60; round += 1) await makeCalls(store, ids(`old-${round}`, 3));
    const before = links();
    await store.calls.prune(ALL);
    expect(links()).toBeLessThan(before / 5);
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 0, removed: 180 });
    for (let round = 0; round < 60; round += 1) await makeCalls(store, ids(`new-${round}`, 3));
    await store.calls.prune({ ...ALL, keepAtMost: 30 });
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 30, removed: 330 });
    await store.calls.prune(ALL);
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 0, removed: 360 });
    expect(links()).toBeLessThan(20);
  });

  it("F12: still says that the file was repaired when the link that said so is folded", async () => {
    const other = new DatabaseSync(folder.at("repaired.db"));
    migrate(other, MIGRATIONS);
    const repaired = { kept: 4, lost: 3, changed: 2, head: "e".repeat(64) };
    other.exec("DELETE FROM call_links");
    beginChain(other, [toRepairedEntry(repaired)]);
    const at = verifyChain(other).repaired?.at;
    const mended = createStore(other, { file: folder.at("repaired.db"), ...testMembership(), busyTimeoutMs: 5_000 });
    for (let round = 0; round < 2; round += 1) {
      for (let call = 0; call < 60; call += 1) await makeCalls(mended, ids(`${round}-${call}`, 3));
      await mended.calls.prune(ALL);
      expect(verifyChain(other)).toMatchObject({ ...INTACT, repaired: { ...repaired, at } });
      expect(readNumber(other, "SELECT min(seq) FROM call_links")).toBeGreaterThan(1);
    }
    expect(verifyChain(other, repaired.head).expected).toBe("before-repair");
    await mended.close();
  });

  it("counts calls removed for their age around one that stays", async () => {
    const saveFrom = (id: string, startedAt: string) =>
      store.calls.save(sampleCall({ id, status: "success", startedAt }));
    await saveFrom("old", "2026-05-01T00:00:00.000Z");
    await saveFrom("future", "2028-05-01T00:00:00.000Z");
    await saveFrom("old-too", "2026-05-02T00:00:00.000Z");
    for (const id of ids("young", 6)) await saveFrom(id, "2026-07-01T00:00:00.000Z");
    const young = { from: "2026-06-01T00:00:00.000Z", until: "2026-12-01T00:00:00.000Z" };
    expect(await store.calls.prune({ ...ALL, keepAtMost: 1_000, young })).toBe(2);
    expect(verifyChain(database)).toMatchObject({ ...INTACT, verified: 7, removed: 2 });
  });

  it("notices if its oldest links are removed, or folded by somebody else", async () => {
    for (let round = 0; round < 4; round += 1) await makeCalls(store, ids(`${round}`, 2));
    database.exec("DELETE FROM calls WHERE seq <= 2; DELETE FROM call_links WHERE seq <= 2");
    expect(verifyChain(database).broken).toContainEqual({
      kind: "link",
      text: expect.stringContaining("The links 1 to 2 are gone"),
    });
    database.exec(
      `UPDATE call_links SET entries = 'folded {"seq":3,"hash":"' || hash || '","calls":2,"removals":2}' WHERE seq = 3`,
    );
    expect(verifyChain(database).broken).toContainEqual({
      kind: "link",
      text: "The chain begins with link 3, and no later link says why.",
    });
  });

  it("begins with the calls of an older file, and covers them from then on", async () => {
    const older = folder.at("older.db");
    const old = new DatabaseSync(older);
    migrate(old, MIGRATIONS.slice(0, 10));
    const add = old.prepare(
      `INSERT INTO calls (id, scope, server, tool_name, shown_name, arguments, status, started_at, owner)
       VALUES (?, 'agent', 's', 't', 't', '{}', ?, '2026-08-01T10:00:00.000Z', 'o')`,
    );
    for (let index = 0; index < 2_500; index += 1) add.run(`${index}`, index % 100 === 0 ? "running" : "success");
    old.close();
    const migrated = await openDatabase({ file: older, synchronous: "NORMAL", busyTimeoutMs: 5_000 });
    expect(verifyChain(migrated)).toMatchObject({ ...INTACT, verified: 0, before: 2_475, open: 25 });
    migrated.exec("UPDATE calls SET arguments = '{\"a\":1}' WHERE id = '7'");
    expect(verifyChain(migrated)).toMatchObject({ before: 2_474, broken: [{ kind: "changed", call: { id: "7" } }] });
    migrated.close();
  });

  it("reads the calls it begins with one by one, since a thousand of them may not fit into memory", async () => {
    await makeCalls(store, ids("a", 3));
    const statements: StatementSyncInstance[] = [];
    const preparing = vi.spyOn(database, "prepare").mockImplementation((sql, options) => {
      const statement = DatabaseSync.prototype.prepare.call(database, sql, options);
      if (sql.includes("FROM calls")) vi.spyOn(statement, "all");
      statements.push(statement);
      return statement;
    });
    database.exec("DELETE FROM call_links");
    beginChain(database);
    preparing.mockRestore();
    expect(verifyChain(database)).toMatchObject({ ...INTACT, before: 3 });
    for (const statement of statements) if (vi.isMockFunction(statement.all)) expect(statement.all).not.toBeCalled();
  });

  it("says how many removals it should show", async () => {
    await makeCalls(store, ids("a", 3));
    await store.calls.prune(ALL);
    await makeCalls(store, ids("b", 1));
    database.exec("UPDATE call_links SET entries = 'r b-0' WHERE seq = (SELECT max(seq) FROM call_links)");
    const texts = verifyChain(database).broken.map(({ text }) => text);
    expect(texts).toContainEqual(
      expect.stringMatching(/the removal of 1 call whose end it does not show; it should be/),
    );
  });

  it("finds a hash that was its head", async () => {
    await makeCalls(store, ids("a", 2));
    const { head } = verifyChain(database);
    await makeCalls(store, ids("b", 2));
    expect(verifyChain(database, head?.hash).expected).toBe("found");
    expect(verifyChain(database, "f".repeat(64)).expected).toBe("not-found");
    expect(verifyChain(database).expected).toBeUndefined();
  });
});
