import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { APPLICATION_ID, LATEST_VERSION, MIGRATIONS, migrate, readNumber, readVersion } from "./migrations.ts";

describe("migrating a database", () => {
  let database: DatabaseSyncInstance;

  beforeEach(() => {
    database = new DatabaseSync(":memory:");
  });

  afterEach(() => database.close());

  function tables(): readonly string[] {
    const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    return rows.map((row) => String(row.name));
  }

  it("brings an empty file to the latest version, marked as ours", () => {
    expect(readVersion(database)).toBe(0);
    migrate(database, MIGRATIONS);
    expect(readVersion(database)).toBe(LATEST_VERSION);
    expect(readNumber(database, "PRAGMA application_id")).toBe(APPLICATION_ID);
    expect(tables()).toEqual([
      "calls",
      "embeddings",
      "gpts",
      "grants",
      "inventory_servers",
      "inventory_tools",
      "secrets",
      "session_messages",
      "sessions",
    ]);
  });

  it("applies each migration once, in order", () => {
    migrate(database, ["CREATE TABLE a (x)"]);
    migrate(database, ["CREATE TABLE a (x)", "ALTER TABLE a RENAME TO b", "CREATE TABLE a (y)"]);
    expect([readVersion(database), tables()]).toEqual([3, ["a", "b"]]);
  });

  it("keeps what succeeded and nothing of a migration that fails", () => {
    const migrations = ["CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (x)"];
    expect(() => migrate(database, migrations)).toThrow("table a already exists");
    expect([readVersion(database), tables()]).toEqual([1, ["a"]]);
  });

  it("says which question got no number for an answer", () => {
    expect(() => readNumber(database, "SELECT 'seven'")).toThrow(`"SELECT 'seven'" did not yield a number`);
  });

  function plan(sql: string): string {
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return rows.map((row) => String(row.detail)).join("; ");
  }

  it("finds sessions, messages and answers by an index, already in order", () => {
    migrate(database, MIGRATIONS);
    expect({
      lastUsed: plan("SELECT value FROM sessions ORDER BY updated_at DESC, seq DESC LIMIT 5"),
      messages: plan("SELECT message FROM session_messages WHERE session_id = 's' ORDER BY number"),
      ofSession: plan("DELETE FROM grants WHERE session_id = 's'"),
    }).toEqual({
      lastUsed: "SCAN sessions USING INDEX sessions_by_updated_at",
      messages: "SEARCH session_messages USING INDEX sqlite_autoindex_session_messages_1 (session_id=?)",
      ofSession: "SEARCH grants USING INDEX grants_by_session (session_id=?)",
    });
    expect(plan("SELECT value FROM grants WHERE scope = 'a' AND server = 's' AND tool = 't' ORDER BY seq")).toContain(
      "SEARCH grants USING INDEX grants_by_tool (scope=? AND server=? AND tool=?)",
    );
  });

  it("looks failed and open calls up by an index; everything else goes by the order in which calls were made", () => {
    migrate(database, MIGRATIONS);
    const usedBy = (where: string): string | undefined =>
      / USING (?:COVERING )?INDEX (\w+)/.exec(plan(`SELECT seq FROM calls WHERE ${where}`))?.[1];
    const open = "status IN ('pending', 'running')";
    expect({
      failed: usedBy("status = 'error' ORDER BY seq DESC LIMIT 5"),
      running: usedBy(`status = 'running' AND ${open} ORDER BY seq DESC LIMIT 5`),
      others: usedBy(`${open} AND owner != 'o'`),
    }).toEqual({
      failed: "calls_failed",
      running: "calls_open",
      others: "calls_open",
    });
    expect(plan("SELECT seq FROM calls WHERE server = 's' ORDER BY seq DESC LIMIT 5")).toBe("SCAN calls");
  });
});
