import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import type { CallRecord } from "@tacklebox/core";
import { allAlive, allDead } from "@tacklebox/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KNOWN_ANSWER } from "../../testing/known-answer.ts";
import { sampleCall } from "../../testing/sample-call.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../testing/temporary-folder.ts";
import { testMembership } from "../../testing/test-membership.ts";
import { verifyChain } from "../chain/verify-chain.ts";
import type { SqliteStore } from "../create-store.ts";
import { openSqliteStore } from "../index.ts";
import { readNumber } from "../migrations.ts";
import { openDatabase } from "../open-database.ts";
import { applyWal } from "./apply-wal.ts";
import { repairDatabase } from "./repair-database.ts";

const PAGE_BYTES = 4096;

describe("repairing a database", () => {
  let folder: TemporaryFolder;
  let file: string;

  beforeEach(async () => {
    folder = await createTemporaryFolder();
    file = folder.at("tacklebox.db");
  });

  afterEach(() => folder[Symbol.asyncDispose]());

  const open = (): Promise<SqliteStore> => openSqliteStore({ file, ...testMembership(), synchronous: "NORMAL" });
  const repair = () => repairDatabase({ file, processes: allDead, now: () => Date.UTC(2026, 7, 1, 12) });

  /** Every seventh call is too large for one page. */
  function call(index: number): CallRecord {
    const text = `result ${index} `.repeat(index % 7 === 0 ? 1_500 : 20);
    return sampleCall({
      id: `call-${index}`,
      status: "success",
      result: { content: [{ type: "text", text }], isError: false },
      completedAt: "2026-08-01T10:00:01.000Z",
    });
  }

  /** Written elsewhere: the connections of this process to that file end only when their statements are collected. */
  async function fill(count: number): Promise<void> {
    const written = folder.at("written.db");
    const store = await openSqliteStore({ file: written, ...testMembership(), synchronous: "NORMAL" });
    await Promise.all(Array.from({ length: count }, (_, index) => store.calls.save(call(index))));
    await store.secrets.save(KNOWN_ANSWER.record);
    await store.close();
    copyFileSync(written, file);
  }

  function pages(sql: string): readonly number[] {
    const database = new DatabaseSync(folder.at("written.db"));
    const rows: readonly { readonly pageno: number }[] = database.prepare(sql).all();
    database.close();
    return rows.map(({ pageno }) => pageno);
  }

  function damage(page: number): void {
    overwrite((page - 1) * PAGE_BYTES, Buffer.alloc(60, 0xff));
  }

  function overwrite(at: number, bytes: Buffer): void {
    const handle = openSync(file, "r+");
    writeSync(handle, bytes, 0, bytes.length, at);
    closeSync(handle);
  }

  it("keeps every row that is not on a damaged page, and everything of the other tables", async () => {
    await fill(200);
    const leaves = pages("SELECT pageno FROM dbstat WHERE name = 'calls' AND pagetype = 'leaf' ORDER BY path");
    const lost = new Set<string>();
    for (const page of [leaves[3] ?? 0, leaves[10] ?? 0]) damage(page);
    const done = await repair();
    if (done.kind !== "repaired") throw new Error(done.kind);
    expect(done.tables.filter(({ isComplete }) => !isComplete).map(({ table }) => table)).toEqual(["calls"]);
    expect(done.tables).toContainEqual({ table: "secrets", kept: 1, isComplete: true });
    const store = await open();
    expect(await store.secrets.load(KNOWN_ANSWER.record.name)).toEqual(KNOWN_ANSWER.record);
    for (let index = 0; index < 200; index += 1) {
      const kept = await store.calls.load(`call-${index}`);
      if (kept === undefined) lost.add(`call-${index}`);
      else expect(kept).toStrictEqual(call(index));
    }
    await store.close();
    expect(lost.size).toBe(done.lostCalls);
    expect(lost.size).toBeGreaterThan(0);
    expect(lost.size).toBeLessThan(40);
    expect(readdirSync(folder.path)).toContain("tacklebox.db.damaged-20260801T120000Z");
    expect(readdirSync(folder.path).filter((name) => /repair|\.new$|\.lock$/.test(name))).toEqual([]);
  });

  it("finds the calls on their pages if the way to them is damaged", async () => {
    await fill(100);
    const [root = 0] = pages("SELECT rootpage AS pageno FROM sqlite_schema WHERE name = 'calls'");
    damage(root);
    expect(await repair()).toMatchObject({ kind: "repaired", lostCalls: 0 });
    const store = await open();
    for (let index = 0; index < 100; index += 1)
      expect(await store.calls.load(`call-${index}`)).toStrictEqual(call(index));
    await store.close();
  });

  it("F11: reports calls that it keeps although they are not as they were recorded", async () => {
    await fill(200);
    const leaves = pages("SELECT pageno FROM dbstat WHERE name = 'calls' AND pagetype = 'leaf' ORDER BY path");
    const tampering = new DatabaseSync(folder.at("written.db"));
    tampering.exec(`
      UPDATE calls SET result = '{}' WHERE id = 'call-0';
      INSERT INTO calls (id, scope, server, tool_name, shown_name, arguments, status, started_at, owner)
      VALUES ('made-up', 'agent', 's', 't', 't', '{}', 'success', '2026-08-01T10:00:00.000Z', 'nobody');
      PRAGMA wal_checkpoint(TRUNCATE)`);
    const head = verifyChain(tampering).head?.hash;
    tampering.close();
    copyFileSync(folder.at("written.db"), file);
    damage(leaves[10] ?? 0);
    expect(await repair()).toMatchObject({ kind: "repaired", changedCalls: 2 });
    const repaired = await openDatabase({ file, synchronous: "NORMAL", busyTimeoutMs: 50 });
    expect(verifyChain(repaired, head)).toMatchObject({ expected: "before-repair", repaired: { changed: 2, head } });
    repaired.close();
  });

  it.each(["calls", "calls and of the chain"])(
    "F12: does not bring back calls that were removed if the way to the %s is damaged",
    async (what) => {
      const written = folder.at("written.db");
      const store = await openSqliteStore({ file: written, ...testMembership(), synchronous: "NORMAL" });
      for (let index = 0; index < 100; index += 1) await store.calls.save(call(index));
      expect(await store.calls.prune({ keepAtMost: 10, keepBytes: 1_000_000_000 })).toBe(90);
      await store.close();
      copyFileSync(written, file);
      for (const table of what === "calls" ? ["calls"] : ["calls", "call_links"])
        damage(pages(`SELECT rootpage AS pageno FROM sqlite_schema WHERE name = '${table}'`)[0] ?? 0);
      expect(await repair()).toMatchObject({ kind: "repaired", lostCalls: 0, changedCalls: 0 });
      const repaired = await open();
      const left = (await repaired.calls.list({ limit: 1_000 })).map(({ id }) => id);
      await repaired.close();
      expect(left).toHaveLength(10);
      for (let index = 90; index < 100; index += 1) expect(left).toContain(`call-${index}`);
    },
  );

  it("leaves a sound database as it is", async () => {
    await fill(10);
    expect(await repair()).toEqual({ kind: "sound" });
    expect(readdirSync(folder.path).filter((name) => !name.startsWith("written.db"))).toEqual(["tacklebox.db"]);
  });

  it("leaves what is not there, and databases of other programs, as they are", async () => {
    expect(await repair()).toEqual({ kind: "missing" });
    const theirs = new DatabaseSync(file);
    theirs.exec("CREATE TABLE photos (id INTEGER PRIMARY KEY)");
    theirs.close();
    expect(await repair()).toEqual({ kind: "another-program" });
  });

  it("refuses while a process that writes to it lives, even one that it cannot see", async () => {
    await fill(50);
    const writer = new DatabaseSync(file);
    writer.exec("INSERT INTO members (id, host, pid, start, beat_at, chains) VALUES ('m', 'h', 1, null, 0, 1)");
    writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    writer.close();
    damage(pages("SELECT pageno FROM dbstat WHERE name = 'calls' AND pagetype = 'leaf'")[0] ?? 0);
    expect(await repairDatabase({ file, processes: allAlive, now: () => 0 })).toEqual({ kind: "in-use" });
    expect(await repair()).toMatchObject({ kind: "repaired" });
  });

  it("leaves databases of other programs alone that have pages of another size", async () => {
    const theirs = new DatabaseSync(file);
    theirs.exec("PRAGMA page_size = 8192; CREATE TABLE photos (id INTEGER PRIMARY KEY)");
    theirs.close();
    expect(await repair()).toEqual({ kind: "another-program" });
    expect(readdirSync(folder.path)).toEqual(["tacklebox.db"]);
  });

  it.each([18, 19])("repairs a file that cannot be used for byte %i of its header alone", async (at) => {
    await fill(10);
    overwrite(at, Buffer.from([9]));
    expect(await repair()).toMatchObject({ kind: "repaired", lostCalls: 0 });
  });

  it("is done by one process at a time", async () => {
    await fill(50);
    damage(pages("SELECT pageno FROM dbstat WHERE name = 'calls' AND pagetype = 'leaf'")[0] ?? 0);
    const kinds = (await Promise.all([repair(), repair(), repair()])).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["in-use", "in-use", "repaired"]);
    expect(readdirSync(folder.path).filter((name) => /repair|\.new$|\.lock$/.test(name))).toEqual([]);
  });

  it("keeps each damaged file, even if one was damaged again within a second", async () => {
    await fill(20);
    for (let time = 0; time < 2; time += 1) {
      overwrite(0, Buffer.alloc(60, 0xff));
      expect(await repair()).toMatchObject({ kind: "repaired", lostCalls: 0 });
    }
    expect(readdirSync(folder.path).filter((name) => name.includes(".damaged-"))).toHaveLength(2);
  });

  it("says what stopped it, and that it can be run again", async () => {
    await fill(20);
    writeFileSync(`${file}.repair`, "{ torn");
    await expect(repair()).rejects.toMatchObject({
      code: "write-failed",
      message: expect.stringContaining(`Could not repair ${file}: `),
    });
  });

  it.each([0, 1, 2, 3, 4])(
    "is finished by the next one if it ends after step %i of putting the new file in place",
    async (steps) => {
      await fill(20);
      const [repaired, damaged] = [`${file}.repaired`, `${file}.damaged-then`];
      copyFileSync(file, repaired);
      writeFileSync(`${file}-wal`, "what was left of the WAL");
      writeFileSync(
        `${file}.repair`,
        JSON.stringify({ repaired: "tacklebox.db.repaired", damaged: "tacklebox.db.damaged-then" }),
      );
      const done = [
        () => renameSync(file, damaged),
        () => renameSync(`${file}-wal`, `${damaged}-wal`),
        () => undefined,
        () => renameSync(repaired, file),
      ];
      for (const step of done.slice(0, steps)) step();
      await expect(open()).rejects.toMatchObject({
        code: "damaged",
        message: expect.stringContaining("its repair was interrupted"),
      });
      expect(await repair()).toEqual({ kind: "finished", damaged });
      expect([existsSync(damaged), existsSync(`${damaged}-wal`), existsSync(repaired)]).toEqual([true, true, false]);
      const store = await open();
      expect(await store.calls.load("call-3")).toStrictEqual(call(3));
      await store.close();
    },
  );

  it("reads a WAL as SQLite does", async () => {
    await fill(20);
    const copy = folder.at("copy.db");
    copyFileSync(file, copy);
    const database = await openDatabase({ file, synchronous: "NORMAL", busyTimeoutMs: 50 });
    database.exec("BEGIN; UPDATE calls SET shown_name = 'renamed'; COMMIT; BEGIN; DELETE FROM secrets");
    copyFileSync(`${file}-wal`, folder.at("left-wal"));
    database.exec("ROLLBACK");
    applyWal(folder.at("left-wal"), copy);
    const applied = await openDatabase({ file: copy, synchronous: "NORMAL", busyTimeoutMs: 50 });
    expect(readNumber(applied, "SELECT count(*) FROM calls WHERE shown_name = 'renamed'")).toBe(20);
    expect(readNumber(applied, "SELECT count(*) FROM secrets")).toBe(1);
    expect(verifyChain(applied).brokenCount).toBe(20);
    applied.close();
    database.close();
  });
});
