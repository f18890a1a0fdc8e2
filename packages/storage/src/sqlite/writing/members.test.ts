import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { MemberDeps } from "@tacklebox/core";
import { allAlive, allDead, testMember } from "@tacklebox/core/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sampleCall } from "../../testing/sample-call.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../testing/temporary-folder.ts";
import { testMembership } from "../../testing/test-membership.ts";
import { createStore, type SqliteStore } from "../create-store.ts";
import { MIGRATIONS, migrate } from "../migrations.ts";
import { openDatabase } from "../open-database.ts";
import { createMemberRows } from "./members.ts";

describe("members of a file", () => {
  let folder: TemporaryFolder;
  let file: string;
  let database: DatabaseSyncInstance;
  let store: SqliteStore;

  beforeEach(async () => {
    folder = await createTemporaryFolder();
    file = folder.at("tacklebox.db");
    database = await openDatabase({ file, synchronous: "FULL", busyTimeoutMs: 20 });
    store = createStore(database, { file, ...testMembership(), busyTimeoutMs: 20 });
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await store.close();
    await folder[Symbol.asyncDispose]();
  });

  async function join(id: string, changes: Partial<MemberDeps> = {}): Promise<SqliteStore> {
    const connection = await openDatabase({ file, synchronous: "FULL", busyTimeoutMs: 20 });
    return createStore(connection, { file, ...testMembership(id), ...changes, busyTimeoutMs: 20 });
  }

  function memberIds(): readonly string[] {
    const reader = new DatabaseSync(file);
    const ids = reader.prepare("SELECT id FROM members ORDER BY id").all();
    reader.close();
    return ids.map(({ id }) => String(id));
  }

  it("join in the commit of their first write, without a separate one, and are stored with all their details", async () => {
    const exec = vi.spyOn(database, "exec");
    await store.calls.save(sampleCall({ id: "a" }));
    await store.calls.save(sampleCall({ id: "b" }));
    expect(exec.mock.calls.flat()).toEqual(["BEGIN IMMEDIATE", "COMMIT", "BEGIN IMMEDIATE", "COMMIT"]);
    const untold = await join("untold", { member: { id: "untold", host: "there", pid: 7 }, now: () => 42 });
    await untold.calls.save(sampleCall({ id: "c" }));
    expect(database.prepare("SELECT * FROM members ORDER BY id").all()).toMatchObject([
      { id: "mine", host: "here", pid: 1, start: "0", beat_at: 0 },
      { id: "untold", host: "there", pid: 7, start: null, beat_at: 42 },
    ]);
    await untold.close();
  });

  it("are checked once for everything that is committed together, if another connection has written", async () => {
    await store.calls.save(sampleCall({ id: "first" }));
    const lookUps: unknown[] = [];
    vi.spyOn(database, "prepare").mockImplementation((sql, options) => {
      const statement = DatabaseSync.prototype.prepare.call(database, sql, options);
      if (sql.includes("FROM members WHERE id = ?"))
        vi.spyOn(statement, "get").mockImplementation((id) => lookUps.push(id));
      return statement;
    });
    const saveThree = (prefix: string) =>
      Promise.all([1, 2, 3].map((number) => store.calls.save(sampleCall({ id: `${prefix}-${number}` }))));
    await saveThree("alone");
    expect(lookUps).toEqual([]);
    const other = await join("other");
    await other.calls.save(sampleCall({ id: "of the other", owner: "other" }));
    await saveThree("after the other");
    expect(lookUps).toEqual(["mine"]);
    await saveThree("alone again");
    expect(lookUps).toEqual(["mine"]);
    await other.close();
  });

  it("that were declared dead are refused every write, however often they try", async () => {
    const other = await join("other");
    await other.calls.save(sampleCall({ owner: "other" }));
    await store.calls.recover();
    for (const id of ["second", "third"])
      await expect(other.calls.save(sampleCall({ id, owner: "other" }))).rejects.toMatchObject({
        code: "declared-dead",
      });
    await other.close();
  });

  it("F11: of an older version are refused once the file was migrated, since they would not chain their calls", async () => {
    const older = folder.at("older.db");
    const theirs = new DatabaseSync(older);
    migrate(theirs, MIGRATIONS.slice(0, 10));
    // As the version before joined.
    const join = theirs.prepare("INSERT INTO members (id, host, pid, start, beat_at) VALUES (?, 'h', 1, null, 0)");
    join.run("old");
    const rows = createMemberRows(theirs, older, testMembership("old"));
    rows.committed();
    rows.admit(false);
    (await openDatabase({ file: older, synchronous: "FULL", busyTimeoutMs: 20 })).close();
    expect(() => rows.admit(false)).toThrow(expect.objectContaining({ code: "declared-dead" }));
    expect(() => join.run("old, but silent so far")).toThrow("a newer Tacklebox uses it now; restart this process");
    theirs.close();
  });

  it("F13: block for a look at the whole file only when they start", async () => {
    const looks: string[] = [];
    vi.spyOn(database, "prepare").mockImplementation((sql, options) => {
      if (sql.includes("quick_check")) looks.push(sql);
      return DatabaseSync.prototype.prepare.call(database, sql, options);
    });
    const mine = createStore(database, { file, ...testMembership("late"), processes: allDead, busyTimeoutMs: 20 });
    expect(await mine.calls.recover()).toBe(0);
    const other = await join("killed");
    await other.calls.save(sampleCall({ id: "a", owner: "killed" }));
    expect(await mine.calls.recover()).toBe(1);
    expect(looks).toEqual([]);
    const restarted = createStore(database, { file, ...testMembership("new"), processes: allDead, busyTimeoutMs: 20 });
    await other.close();
    const killed = await join("killed-too");
    await killed.calls.save(sampleCall({ id: "b", owner: "killed-too" }));
    expect(await restarted.calls.recover()).toBe(1);
    expect(looks).toHaveLength(1);
    await killed.close();
  });

  it("do not join until they write something", async () => {
    await store.members.beat();
    expect(await store.calls.recover()).toBe(0);
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    await expect(store.calls.save(sampleCall())).rejects.toMatchObject({ code: "write-failed" });
    holder.exec("ROLLBACK");
    holder.close();
    expect(memberIds()).toEqual([]);
    await store.calls.save(sampleCall());
    expect(memberIds()).toEqual(["mine"]);
  });

  it("leave when they are closed, without waiting for a lock", async () => {
    const [peaceful, hindered] = [await join("peaceful"), await join("hindered")];
    await peaceful.calls.save(sampleCall({ id: "a", owner: "peaceful" }));
    await hindered.calls.save(sampleCall({ id: "b", owner: "hindered" }));
    await peaceful.close();
    expect(memberIds()).toEqual(["hindered"]);
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    await hindered.close();
    holder.exec("ROLLBACK");
    holder.close();
    expect(memberIds()).toEqual(["hindered"]);
    expect(await store.calls.recover()).toBe(2);
    expect(memberIds()).toEqual(["mine"]);
  });

  it("are checked without a lock or a commit if none is gone", async () => {
    const other = await join("other");
    await other.calls.save(sampleCall({ owner: "other" }));
    const careful = await join("careful", { processes: allAlive });
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    expect(await careful.calls.recover()).toBe(0);
    holder.exec("ROLLBACK");
    holder.close();
    expect(memberIds()).toEqual(["other"]);
    for (const each of [other, careful]) await each.close();
  });

  it("are declared dead and their calls ended together, or neither", async () => {
    const other = await join("other");
    await other.calls.save(sampleCall({ owner: "other" }));
    database.exec("CREATE TRIGGER refuse BEFORE UPDATE ON calls BEGIN SELECT RAISE(ABORT, 'no'); END");
    await expect(store.calls.recover()).rejects.toMatchObject({ code: "write-failed" });
    database.exec("DROP TRIGGER refuse");
    await other.calls.save(sampleCall({ id: "next", owner: "other" }));
    expect(await store.calls.recover()).toBe(2);
    await expect(other.calls.save(sampleCall({ id: "third", owner: "other" }))).rejects.toMatchObject({
      code: "declared-dead",
      message:
        "Another process took this one for dead, because nothing was heard of it for 60 s, and ended its open calls: " +
        `it was suspended, or the clocks of the two disagree. Nothing more is written to ${file}; restart this process.`,
    });
    await expect(other.secrets.remove("token")).rejects.toMatchObject({ code: "declared-dead" });
    await other.close();
    expect(memberIds()).toEqual(["mine"]);
  });

  it("are missing in an older file, where a call's owner shows whether its process runs", async () => {
    const older = new DatabaseSync(folder.at("older.db"));
    migrate(older, MIGRATIONS.slice(0, 9));
    const add = older.prepare(
      `INSERT INTO calls (id, scope, server, tool_name, shown_name, arguments, status, started_at, owner)
       VALUES (?, 'agent', 's', 't', 't', '{}', 'running', '', ?)`,
    );
    for (const owner of ["dead", "living"]) add.run(`of the ${owner}`, owner);
    older.close();
    const connection = await openDatabase({ file: folder.at("older.db"), synchronous: "FULL", busyTimeoutMs: 20 });
    const upgraded = createStore(connection, {
      file: folder.at("older.db"),
      member: testMember("new"),
      processes: { look: () => "elsewhere", isOwnerAlive: (owner) => owner === "living" },
      now: () => 0,
      busyTimeoutMs: 20,
    });
    expect(await upgraded.calls.recover()).toBe(1);
    const found = await upgraded.calls.list({ limit: 9 });
    expect(found.map(({ id, status }) => [id, status])).toEqual([
      ["of the living", "running"],
      ["of the dead", "error"],
    ]);
    await upgraded.close();
  });
});
