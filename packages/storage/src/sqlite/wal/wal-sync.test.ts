import { existsSync, fdatasync, readdirSync } from "node:fs";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTemporaryFolder, type TemporaryFolder } from "../../testing/temporary-folder.ts";
import { openDatabase } from "../open-database.ts";
import { createGroupWriter, type GroupWriter } from "../writing/group-writer.ts";
import { createWalSync, type WalSync } from "./wal-sync.ts";

describe("commits on a slow disk", () => {
  let folder: TemporaryFolder;
  let database: DatabaseSyncInstance;
  let walSync: WalSync;
  let writer: GroupWriter;
  let now = 0;
  /** Syncs that were started and have not ended. */
  let syncs: ((error: Error | null) => void)[];

  beforeEach(async () => {
    folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    database = await openDatabase({ file, synchronous: "FULL", busyTimeoutMs: 5_000 });
    database.exec("CREATE TABLE rows (value)");
    syncs = [];
    walSync = createWalSync(database, { file, syncFile: (_, done) => void syncs.push(done), monotonic: () => now });
    const admission = { admit: () => undefined, finish: () => undefined, committed: () => undefined };
    writer = createGroupWriter(database, admission, { file, busyTimeoutMs: 5_000, walSync });
  });

  afterEach(async () => {
    writer.close();
    endSync();
    database.close();
    await folder[Symbol.asyncDispose]();
  });

  /** Writes a row, and tells when the write has settled, and how. */
  function write(value: number | string) {
    const state = { ended: "waiting" };
    const insert = database.prepare("INSERT INTO rows VALUES (?)");
    const settleAs = (how: string) => {
      state.ended = how;
    };
    const written = writer
      .write(() => void insert.run(value))
      .then(
        () => settleAs("written"),
        (error: unknown) => settleAs(String(error)),
      );
    return { state, written };
  }

  const rows = () => database.prepare("SELECT value FROM rows").all().length;
  const endSync = (error: Error | null = null) => syncs.shift()?.(error);
  const syncStarted = () => expect.poll(() => syncs.length).toBe(1);

  /** 2: FULL, 1: NORMAL. */
  const synchronous = () => database.prepare("PRAGMA synchronous").get();

  function becomeSlow(): void {
    walSync.noteCommit(300);
    walSync.noteCommit(300);
  }

  it("leaves syncing to SQLite while no two commits in a row are slow", async () => {
    for (const tookMs of [300, 1, 300, 9]) walSync.noteCommit(tookMs);
    await write(1).written;
    expect(syncs).toEqual([]);
    expect(synchronous()).toEqual({ synchronous: 2 });
  });

  it("takes a few commits that a busy processor held up for no slow disk", () => {
    for (const tookMs of [25, 30, 15, 20, 9, 25, 30, 15, 20]) walSync.noteCommit(tookMs);
    expect(walSync.isBehind()).toBe(false);
    walSync.noteCommit(10);
    expect(walSync.isBehind()).toBe(true);
  });

  it("F13: commits without a sync, and tells the writer once the WAL is synced in a thread", async () => {
    becomeSlow();
    expect(synchronous()).toEqual({ synchronous: 1 });
    const first = write(1);
    await syncStarted();
    expect([rows(), first.state.ended]).toEqual([1, "waiting"]);
    endSync();
    await first.written;
    expect(first.state.ended).toBe("written");
  });

  it("lets writes that come during a sync share the next one", async () => {
    becomeSlow();
    const first = write(1);
    await syncStarted();
    const others = [write(2), write(3)];
    endSync();
    await first.written;
    await syncStarted();
    expect(rows()).toBe(3);
    expect(others.map(({ state }) => state.ended)).toEqual(["waiting", "waiting"]);
    endSync();
    await Promise.all(others.map(({ written }) => written));
    expect(syncs).toEqual([]);
  });

  it("reports a write that the disk did not take as failed", async () => {
    becomeSlow();
    const first = write(1);
    await syncStarted();
    endSync(new Error("EIO: i/o error, fdatasync"));
    await first.written;
    expect(first.state.ended).toContain("EIO: i/o error");
  });

  it("F13: writes nothing more after a failed sync, since it would lie behind what the disk lost", async () => {
    becomeSlow();
    const first = write(1);
    await syncStarted();
    const during = write(2);
    endSync(new Error("EIO: i/o error, fdatasync"));
    const after = write(3);
    await Promise.all([first.written, during.written, after.written]);
    for (const { state } of [first, during, after]) expect(state.ended).toContain("EIO: i/o error");
    expect([rows(), syncs]).toEqual([1, []]);
    writer.close();
    database.close();
    database = await openDatabase({ file: folder.at("tacklebox.db"), synchronous: "FULL", busyTimeoutMs: 5_000 });
    expect(rows()).toBe(1);
  });

  it.runIf(existsSync("/proc/self/fd"))("F13: opens the WAL once, however slow commits that fail are", async () => {
    let isRefusing = false;
    const noted: number[] = [];
    const noting = { ...walSync, noteCommit: (tookMs: number) => void noted.push(tookMs) };
    const admit = () => {
      if (isRefusing) throw new Error("no");
    };
    const admission = { admit, finish: () => undefined, committed: () => undefined };
    const file = folder.at("tacklebox.db");
    const other = createGroupWriter(database, admission, { file, busyTimeoutMs: 5_000, walSync: noting });
    await other.write(() => undefined);
    expect(noted).toHaveLength(1);
    becomeSlow();
    isRefusing = true;
    await expect(other.write(() => undefined)).rejects.toThrow("no");
    expect(noted).toHaveLength(1);
    const open = () => readdirSync("/proc/self/fd").length;
    const before = open();
    becomeSlow();
    expect(open()).toBe(before);
  });

  it("settles everything when it is closed during a sync", async () => {
    becomeSlow();
    const first = write(1);
    await syncStarted();
    const second = write(2);
    writer.close();
    await Promise.all([first.written, second.written]);
    expect([first.state.ended, second.state.ended]).toEqual(["written", "written"]);
    expect(synchronous()).toEqual({ synchronous: 2 });
    endSync();
  });

  it("leaves syncing to SQLite again when the disk has become fast", async () => {
    becomeSlow();
    const takeSync = async (tookMs: number) => {
      const one = write(tookMs);
      await syncStarted();
      now += tookMs;
      endSync();
      await one.written;
    };
    for (let count = 0; count < 15; count += 1) await takeSync(1);
    await takeSync(6);
    for (let count = 0; count < 15; count += 1) await takeSync(1);
    expect(walSync.isBehind()).toBe(true);
    await takeSync(1);
    expect(walSync.isBehind()).toBe(false);
    expect(synchronous()).toEqual({ synchronous: 2 });
    await write("direct").written;
    expect([rows(), syncs]).toEqual([33, []]);
  });
});

describe("the WAL on a slow disk", () => {
  it("is copied into the database file by a thread", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const database = await openDatabase({ file, synchronous: "FULL", busyTimeoutMs: 5_000 });
    database.exec("CREATE TABLE rows (value)");
    // A clock that makes every sync look slow, however fast this disk is.
    let now = 0;
    const monotonic = () => {
      now += 100;
      return now;
    };
    const walSync = createWalSync(database, { file, syncFile: fdatasync, monotonic });
    const admission = { admit: () => undefined, finish: () => undefined, committed: () => undefined };
    const writer = createGroupWriter(database, admission, { file, busyTimeoutMs: 5_000, walSync });
    walSync.noteCommit(300);
    walSync.noteCommit(300);

    const insert = database.prepare("INSERT INTO rows VALUES (zeroblob(4000000))");
    const walState = () => database.prepare("PRAGMA wal_checkpoint(NOOP)").get();
    for (let count = 0; count < 5; count += 1) await writer.write(() => void insert.run());
    await expect.poll(walState).toMatchObject({ busy: 0, checkpointed: expect.any(Number) });
    await expect.poll(() => (walState() as { checkpointed: number }).checkpointed).toBeGreaterThan(4_000);
    writer.close();
    database.close();
  });
});
