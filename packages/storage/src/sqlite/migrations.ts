import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { beginChain } from "./chain/begin-chain.ts";
import { inTransaction } from "./writing/in-transaction.ts";

/** Marks a file as ours: "TBOX" in ASCII. */
export const APPLICATION_ID = 0x54424f58;

/** Statements, or a function that runs them and more. It runs in a transaction. */
export type Migration = string | ((database: DatabaseSyncInstance) => void);

/** Applied in order; a migration's index is the version it starts from. Never edit one that was released. */
export const MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE calls (
    seq          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    scope        TEXT NOT NULL,
    server       TEXT NOT NULL,
    tool_name    TEXT NOT NULL,
    shown_name   TEXT NOT NULL,
    arguments    TEXT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('pending', 'running', 'success', 'error')),
    ending       TEXT,
    error        TEXT,
    result       TEXT,
    decision     TEXT,
    started_at   TEXT NOT NULL,
    completed_at TEXT,
    owner        TEXT NOT NULL
  ) STRICT;
  CREATE INDEX calls_by_server_and_status ON calls (server, status);
  CREATE INDEX calls_by_tool_name ON calls (tool_name);
  CREATE INDEX calls_by_status ON calls (status);
  CREATE INDEX calls_by_started_at ON calls (started_at);

  CREATE TABLE inventory_servers (
    scope    TEXT NOT NULL,
    server   TEXT NOT NULL,
    era      TEXT CHECK (era IN ('legacy', 'modern')),
    saved_at TEXT NOT NULL,
    PRIMARY KEY (scope, server)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE inventory_tools (
    scope       TEXT NOT NULL,
    server      TEXT NOT NULL,
    position    INTEGER NOT NULL,
    name        TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    PRIMARY KEY (scope, server, position),
    FOREIGN KEY (scope, server) REFERENCES inventory_servers (scope, server) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;

  PRAGMA application_id = ${APPLICATION_ID};
  `,
  `
  CREATE TABLE secrets (
    name        TEXT NOT NULL PRIMARY KEY,
    v           INTEGER NOT NULL,
    alg         TEXT NOT NULL,
    kek_id      TEXT NOT NULL,
    wrap_nonce  TEXT NOT NULL,
    wrapped_dek TEXT NOT NULL,
    nonce       TEXT NOT NULL,
    ciphertext  TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    rev         INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // A call that succeeds, as most do, leaves the index of open calls and enters no other.
  `
  DROP INDEX calls_by_server_and_status;
  DROP INDEX calls_by_status;
  CREATE INDEX calls_by_server ON calls (server);
  CREATE INDEX calls_open ON calls (status, owner) WHERE status IN ('pending', 'running');
  CREATE INDEX calls_failed ON calls (status) WHERE status = 'error';
  `,
  // Every call pays for an index, but people rarely look for one server's calls, and recent ones are found quickly
  // anyway.
  `
  DROP INDEX calls_by_server;
  DROP INDEX calls_by_tool_name;
  DROP INDEX calls_by_started_at;
  `,
  // Values are JSON, which preserves every character; the other columns are for finding and ordering rows.
  `
  CREATE TABLE sessions (
    seq        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    updated_at TEXT NOT NULL,
    value      TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_updated_at ON sessions (updated_at);
  CREATE TABLE session_messages (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    at         TEXT NOT NULL,
    message    TEXT NOT NULL,
    PRIMARY KEY (session_id, number)
  ) STRICT;

  CREATE TABLE grants (
    seq        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    scope      TEXT NOT NULL,
    server     TEXT NOT NULL,
    tool       TEXT NOT NULL,
    session_id TEXT,
    value      TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX grants_by_tool ON grants (scope, server, tool, coalesce(session_id, ''));
  CREATE INDEX grants_by_session ON grants (session_id) WHERE session_id IS NOT NULL;

  CREATE TABLE gpts (
    seq   INTEGER PRIMARY KEY,
    key   TEXT NOT NULL UNIQUE,
    value TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE calls ADD COLUMN late_answer_at TEXT;
  `,
  `
  CREATE TABLE embeddings (
    seq    INTEGER PRIMARY KEY,
    model  TEXT NOT NULL,
    key    TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (model, key)
  ) STRICT;
  `,
  // Every call enters and leaves this index. Indexed by number alone, the open calls fit on one page.
  `
  DROP INDEX calls_open;
  CREATE INDEX calls_open ON calls (seq) WHERE status IN ('pending', 'running');
  `,
  // Who asked for a call (JSON), where its time went, and for a failed call whether it was sent to its server.
  `
  ALTER TABLE calls ADD COLUMN caller TEXT;
  ALTER TABLE calls ADD COLUMN person_ms INTEGER;
  ALTER TABLE calls ADD COLUMN slot_ms INTEGER;
  ALTER TABLE calls ADD COLUMN run_ms INTEGER;
  ALTER TABLE calls ADD COLUMN sent INTEGER;
  `,
  // The processes that write to the file. `beat_at` is in milliseconds since the epoch.
  `
  CREATE TABLE members (
    id      TEXT NOT NULL PRIMARY KEY,
    host    TEXT NOT NULL,
    pid     INTEGER NOT NULL,
    start   TEXT,
    beat_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // A chain of hashes over the calls that have ended. `hash` comes before `entries`, which may fill several pages.
  `
  CREATE TABLE call_links (
    seq     INTEGER PRIMARY KEY,
    hash    TEXT NOT NULL,
    at      TEXT NOT NULL,
    entries TEXT NOT NULL
  ) STRICT;
  `,
  // Which tool has which shown name, per configuration, and which definitions (JSON) a person was shown. The row of a
  // server's instructions has an empty tool.
  `
  CREATE TABLE tool_names (
    source TEXT NOT NULL,
    name   TEXT NOT NULL,
    scope  TEXT NOT NULL,
    server TEXT NOT NULL,
    tool   TEXT NOT NULL,
    PRIMARY KEY (source, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE shown_definitions (
    scope      TEXT NOT NULL,
    server     TEXT NOT NULL,
    tool       TEXT NOT NULL,
    definition TEXT NOT NULL,
    PRIMARY KEY (scope, server, tool)
  ) STRICT;
  `,
  (database) => {
    // For a list of more than two, SQLite builds a temporary index whenever a row is written, which took a tenth of a
    // call's time.
    const status = "status IN ('pending', 'running', 'success', 'error')";
    const quick = "status IN ('pending', 'running') OR status IN ('success', 'error')";
    rewriteTable(database, "calls", status, quick);
    // An older version that still runs would not chain what it writes. If it has written already, it takes itself for
    // declared dead; if not, it cannot join.
    database.exec(`
      DELETE FROM members;
      ALTER TABLE members ADD COLUMN chains INTEGER;
      CREATE TRIGGER members_chain BEFORE INSERT ON members WHEN new.chains IS NULL BEGIN
        SELECT RAISE(ABORT, 'a newer Tacklebox uses it now; restart this process');
      END;
      DELETE FROM call_links;
    `);
    beginChain(database);
  },
  // What was accepted of a server belongs to its name and its configuration, and outlives a change of how it is
  // reached. Rows from before were named by how their server is reached, which still finds them.
  `
  ALTER TABLE inventory_servers ADD COLUMN launch TEXT NOT NULL DEFAULT '';
  UPDATE inventory_servers SET launch = server;
  CREATE INDEX inventory_servers_by_launch ON inventory_servers (scope, launch);
  ALTER TABLE inventory_tools ADD COLUMN away INTEGER;
  CREATE TABLE accepted_definitions (
    scope       TEXT NOT NULL,
    server      TEXT NOT NULL,
    tool        TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    definition  TEXT NOT NULL,
    PRIMARY KEY (scope, server, tool)
  ) STRICT;
  `,
];

export const LATEST_VERSION = MIGRATIONS.length;

/**
 * Changes the text of a table's constraint, as SQLite's documentation of ALTER TABLE describes: the rows stay as they
 * are, so they have to meet the new constraint too.
 */
function rewriteTable(database: DatabaseSyncInstance, table: string, from: string, to: string): void {
  const version = readNumber(database, "PRAGMA schema_version");
  database.enableDefensive(false);
  database.exec("PRAGMA writable_schema = ON");
  try {
    database
      .prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE type = 'table' AND name = ?")
      .run(from, to, table);
    // Other connections read the schema again only if its version has changed.
    database.exec(`PRAGMA schema_version = ${version + 1}`);
  } finally {
    database.exec("PRAGMA writable_schema = RESET");
    database.enableDefensive(true);
  }
}

/** Migrates the file to the latest version. Several processes may do so at once; each migration runs in only one. */
export function migrate(database: DatabaseSyncInstance, migrations: readonly Migration[]): void {
  while (readVersion(database) < migrations.length) inTransaction(database, () => applyNext(database, migrations));
}

export function readVersion(database: DatabaseSyncInstance): number {
  return readNumber(database, "PRAGMA user_version");
}

/** Runs a query that yields a single number. */
export function readNumber(database: DatabaseSyncInstance, sql: string): number {
  const row: unknown = database.prepare(sql, { returnArrays: true }).get();
  const value: unknown = Array.isArray(row) ? row[0] : undefined;
  if (typeof value !== "number") throw new TypeError(`"${sql}" did not yield a number`);
  return value;
}

function applyNext(database: DatabaseSyncInstance, migrations: readonly Migration[]): void {
  // Read again under the lock, since another process may have been faster.
  const version = readVersion(database);
  const migration = migrations[version];
  if (migration === undefined) return;
  if (typeof migration === "string") database.exec(migration);
  else migration(database);
  database.exec(`PRAGMA user_version = ${version + 1}`);
}
