import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { LATEST_VERSION, MIGRATIONS, migrate, readNumber, readVersion } from "./migrations.ts";
import { type DatabaseOptions, openDatabase } from "./open-database.ts";

const options = { synchronous: "FULL", busyTimeoutMs: 50 } satisfies Partial<DatabaseOptions>;

describe("opening a database", () => {
  it("makes a new file durable, shareable and of the latest version", async () => {
    await using folder = await createTemporaryFolder();
    const database = await openDatabase({ ...options, file: folder.at("new.db") });
    expect(database.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
    const settings = ["synchronous", "foreign_keys", "busy_timeout"].map((name) =>
      readNumber(database, `PRAGMA ${name}`),
    );
    expect([...settings, readVersion(database)]).toEqual([2, 1, 3, LATEST_VERSION]);
    database.close();
  });

  it("syncs less with NORMAL", async () => {
    await using folder = await createTemporaryFolder();
    const database = await openDatabase({ ...options, file: folder.at("new.db"), synchronous: "NORMAL" });
    expect(readNumber(database, "PRAGMA synchronous")).toBe(1);
    database.close();
  });

  it("refuses an empty file: it never leaves one, so it was emptied", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("empty.db");
    await writeFile(file, "");
    await expect(openDatabase({ ...options, file })).rejects.toMatchObject({
      code: "damaged",
      message:
        `${file} is damaged: it is empty, which it should never be. Nothing was changed. ` +
        "To keep what can be read and continue with a new file, run: tacklebox doctor --repair",
    });
    expect(await readdir(folder.path)).toEqual(["empty.db"]);
  });

  it("refuses to begin a new file beside the WAL of one that is gone", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    await writeFile(`${file}-wal`, "frames");
    await expect(openDatabase({ ...options, file })).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(`it is gone, but ${file}-wal, which holds what was written to it last`),
    });
    expect(await readdir(folder.path)).toEqual(["tacklebox.db-wal"]);
  });

  it("leaves nothing but the database when it creates one", async () => {
    await using folder = await createTemporaryFolder();
    const databases = await Promise.all(
      [1, 2, 3].map(() => openDatabase({ ...options, busyTimeoutMs: 5_000, file: folder.at("tacklebox.db") })),
    );
    expect((await readdir(folder.path)).sort()).toEqual(["tacklebox.db", "tacklebox.db-shm", "tacklebox.db-wal"]);
    for (const database of databases) database.close();
  });

  it.each(["hello", "a diary, not a database. ".repeat(500)])("refuses a file that is not a database", async (text) => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("diary.txt");
    await writeFile(file, text);
    await expect(openDatabase({ ...options, file })).rejects.toMatchObject({
      code: "damaged",
      message:
        `${file} is damaged: it is not a database. Nothing was changed. ` +
        "To keep what can be read and continue with a new file, run: tacklebox doctor --repair",
    });
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await readdir(folder.path)).toEqual(["diary.txt"]);
  });

  it("refuses a file from a newer version and leaves it as it is", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("newer.db");
    (await openDatabase({ ...options, file })).close();
    const newer = new DatabaseSync(file);
    // Writes the file now, not when the garbage collector frees the last statement of a closed connection.
    newer.exec(`PRAGMA user_version = ${LATEST_VERSION + 1}; PRAGMA wal_checkpoint(TRUNCATE)`);
    newer.close();
    const before = await readFile(file);
    await expect(openDatabase({ ...options, file })).rejects.toMatchObject({
      code: "newer-version",
      message:
        `${file} was written by a newer Tacklebox (format ${LATEST_VERSION + 1}, this one knows ${LATEST_VERSION}). ` +
        "It was not changed; update Tacklebox, or choose another data directory.",
    });
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it.each(MIGRATIONS.slice(0, -1).map((_, index) => index + 1))(
    "brings a file of format %i to the latest and keeps every call in it",
    async (version) => {
      await using folder = await createTemporaryFolder();
      const file = folder.at("older.db");
      const older = new DatabaseSync(file);
      migrate(older, MIGRATIONS.slice(0, version));
      const add = older.prepare(
        `INSERT INTO calls (id, scope, server, tool_name, shown_name, arguments, status, started_at, owner)
         VALUES (?, 'agent', 's', 't', 't', '{}', ?, '2026-08-01T10:00:00.000Z', 'o')`,
      );
      for (const status of ["pending", "running", "success", "error"]) add.run(status, status);
      const calls = older.prepare("SELECT * FROM calls ORDER BY seq").all();
      older.close();
      const database = await openDatabase({ ...options, file });
      expect(readVersion(database)).toBe(LATEST_VERSION);
      expect(database.prepare("SELECT * FROM calls ORDER BY seq").all()).toMatchObject(calls);
      expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
      database.close();
    },
  );

  it("refuses a database of another program and leaves it as it is", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("photos.db");
    const theirs = new DatabaseSync(file);
    theirs.exec("CREATE TABLE photos (id INTEGER PRIMARY KEY)");
    theirs.close();
    const before = await readFile(file);
    await expect(openDatabase({ ...options, file })).rejects.toMatchObject({
      code: "another-program",
      message: `${file} is a database of another program. It was not changed; choose another data directory.`,
    });
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it("says so if the file cannot be created", async () => {
    await using folder = await createTemporaryFolder();
    await writeFile(folder.at("plain-file"), "");
    const file = folder.at("plain-file/tacklebox.db");
    await expect(openDatabase({ ...options, file })).rejects.toMatchObject({
      code: "cannot-open",
      message: `Cannot open ${file}: check that its folder can be created and that this user may write there.`,
    });
  });

  it("creates every folder above it for this user only, even if several processes do so at once", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("a/b/c/tacklebox.db");
    const databases = await Promise.all([1, 2, 3].map(() => openDatabase({ ...options, busyTimeoutMs: 5_000, file })));
    for (const database of databases) database.close();
    const created = [folder.at("a"), folder.at("a/b"), folder.at("a/b/c"), file];
    const modes = await Promise.all(created.map(async (path) => (await stat(path)).mode & 0o777));
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  it("says so if no folder can be created, instead of trying for ever", async () => {
    const file = "/proc/nowhere/deeper/tacklebox.db";
    await expect(openDatabase({ ...options, file })).rejects.toMatchObject({
      code: "cannot-open",
      message: `Cannot open ${file}: check that its folder can be created and that this user may write there.`,
    });
  });

  it("says so when there is a folder in its place", async () => {
    await using folder = await createTemporaryFolder();
    await mkdir(folder.at("tacklebox.db"));
    await expect(openDatabase({ ...options, file: folder.at("tacklebox.db") })).rejects.toMatchObject({
      code: "cannot-open",
    });
  });

  it("gives up on a file that another process keeps locked", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const holder = new DatabaseSync(file);
    holder.exec("CREATE TABLE t (x); BEGIN EXCLUSIVE");
    await expect(openDatabase({ ...options, file })).rejects.toMatchObject({
      code: "cannot-open",
      message: `Cannot open ${file}: another process has it locked. Try again, or stop that process.`,
    });
    holder.exec("ROLLBACK");
    holder.close();
  });
});
