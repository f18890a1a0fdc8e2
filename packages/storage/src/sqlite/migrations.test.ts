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
    expect(tables()).toEqual(["calls", "inventory_servers", "inventory_tools", "secrets"]);
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

  it("lists calls of a server by an index, and looks open calls up by an index", () => {
    migrate(database, MIGRATIONS);
    const plan = (sql: string): string =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row.detail))
        .join("; ");
    expect(plan("SELECT * FROM calls WHERE server = 's' AND status = 'error' ORDER BY seq DESC LIMIT 5")).toBe(
      "SEARCH calls USING INDEX calls_by_server_and_status (server=? AND status=?)",
    );
    expect(plan("SELECT DISTINCT owner FROM calls WHERE status IN ('pending', 'running') AND owner != 'o'")).toContain(
      "SEARCH calls USING INDEX calls_by_status (status=?)",
    );
  });
});
