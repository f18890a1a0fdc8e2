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
      "accepted_definitions",
      "call_links",
      "calls",
      "embeddings",
      "gpts",
      "grants",
      "inventory_servers",
      "inventory_tools",
      "members",
      "secrets",
      "session_messages",
      "sessions",
      "shown_definitions",
      "tool_names",
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

  it("names the query that did not yield a number", () => {
    expect(() => readNumber(database, "SELECT 'seven'")).toThrow(`"SELECT 'seven'" did not yield a number`);
  });

  it("keeps calls from before callers and times were recorded, which have none", () => {
    migrate(database, MIGRATIONS.slice(0, 8));
    database.exec(`
      INSERT INTO calls (id, scope, server, tool_name, shown_name, arguments, status, started_at, owner)
      VALUES ('old', 'agent', 's', 't', 't', '{}', 'success', '', 'o')`);
    migrate(database, MIGRATIONS);
    const row = database.prepare("SELECT id, caller, person_ms, slot_ms, run_ms, sent FROM calls").get();
    expect({ ...row }).toEqual({ id: "old", caller: null, person_ms: null, slot_ms: null, run_ms: null, sent: null });
  });

  it("finds what was accepted before inventories were named by their configuration, by how the server is reached", () => {
    migrate(database, MIGRATIONS.slice(0, 13));
    database.exec(`
      INSERT INTO inventory_servers (scope, server, era, saved_at) VALUES ('agent', 'files@1', 'modern', '');
      INSERT INTO inventory_tools (scope, server, position, name, fingerprint) VALUES ('agent', 'files@1', 0, 'a', 'f')`);
    migrate(database, MIGRATIONS);
    const row = database.prepare("SELECT launch FROM inventory_servers WHERE launch = server").get();
    expect({ ...row }).toEqual({ launch: "files@1" });
    const tool = database.prepare("SELECT name, fingerprint, away FROM inventory_tools").get();
    expect({ ...tool }).toEqual({ name: "a", fingerprint: "f", away: null });
  });

  function plan(sql: string): string {
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return rows.map((row) => String(row.detail)).join("; ");
  }

  it("finds sessions, messages and grants by an index, already in order", () => {
    migrate(database, MIGRATIONS);
    expect({
      lastUsed: plan("SELECT value FROM sessions ORDER BY updated_at DESC, seq DESC LIMIT 5"),
      usedBefore: plan(
        "SELECT value FROM sessions WHERE (updated_at, seq) < ('u', coalesce((SELECT seq FROM sessions WHERE id = 's'), 0)) " +
          "ORDER BY updated_at DESC, seq DESC LIMIT 5",
      ),
      messages: plan(
        "SELECT message FROM session_messages WHERE session_id = 's' AND number > 7 ORDER BY number LIMIT 5",
      ),
      ofSession: plan("DELETE FROM grants WHERE session_id = 's'"),
    }).toEqual({
      lastUsed: "SCAN sessions USING INDEX sessions_by_updated_at",
      usedBefore:
        "SEARCH sessions USING INDEX sessions_by_updated_at ((updated_at,rowid)<(?,?)); SCALAR SUBQUERY 1; " +
        "SEARCH sessions USING COVERING INDEX sqlite_autoindex_sessions_1 (id=?); REUSE SUBQUERY 1",
      messages: "SEARCH session_messages USING INDEX sqlite_autoindex_session_messages_1 (session_id=? AND number>?)",
      ofSession: "SEARCH grants USING INDEX grants_by_session (session_id=?)",
    });
    expect(plan("SELECT value FROM grants WHERE scope = 'a' AND server = 's' AND tool = 't' ORDER BY seq")).toContain(
      "SEARCH grants USING INDEX grants_by_tool (scope=? AND server=? AND tool=?)",
    );
  });

  it("finds failed and open calls by an index, and all others by scanning in the order they were made", () => {
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

  it("goes straight to the calls older than a given one, already in order", () => {
    migrate(database, MIGRATIONS);
    const older = "seq < (SELECT seq FROM calls WHERE id = 'c') ORDER BY seq DESC LIMIT 5";
    const planOf = (where: string): string => plan(`SELECT * FROM calls WHERE ${where} AND ${older}`);
    const lookUp = "SCALAR SUBQUERY 1; SEARCH calls USING COVERING INDEX sqlite_autoindex_calls_1 (id=?)";
    expect({
      any: planOf("true"),
      ofServer: planOf("server = 's'"),
      failed: planOf("status = 'error'"),
      running: planOf("status = 'running' AND status IN ('pending', 'running')"),
    }).toEqual({
      any: `SEARCH calls USING INTEGER PRIMARY KEY (rowid<?); ${lookUp}`,
      ofServer: `SEARCH calls USING INTEGER PRIMARY KEY (rowid<?); ${lookUp}`,
      failed: `SEARCH calls USING INDEX calls_failed (status=? AND rowid<?); ${lookUp}`,
      running: `SEARCH calls USING INDEX calls_open (seq<?); ${lookUp}`,
    });
  });
});
