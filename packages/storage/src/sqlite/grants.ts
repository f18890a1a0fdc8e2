import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { type Grant, type Grants, isJsonObject } from "@tacklebox/core";
import type { GroupWriter } from "./group-writer.ts";
import { prepareLazily } from "./prepare-lazily.ts";
import { isOptional, isText, parseStored, toKey } from "./stored-value.ts";

// Replaces the answer for the same tool and session, which then counts as the latest.
const SAVE = `
  INSERT OR REPLACE INTO grants (id, scope, server, tool, session_id, value) VALUES (?, ?, ?, ?, ?, ?)`;
const LIST = "SELECT id, value FROM grants ORDER BY seq";
const LIST_OF_TOOL = "SELECT id, value FROM grants WHERE scope = ? AND server = ? AND tool = ? ORDER BY seq";
const REMOVE = "DELETE FROM grants WHERE id = ?";

interface GrantRow {
  readonly id: string;
  readonly value: string;
}

// Statements written by hand: calls ask for the answers about their tool.
export function createGrants(database: DatabaseSyncInstance, writer: GroupWriter): Grants {
  const save = prepareLazily(database, SAVE);
  const list = prepareLazily(database, LIST);
  const listOfTool = prepareLazily(database, LIST_OF_TOOL);
  const remove = prepareLazily(database, REMOVE);

  return {
    async save(grant) {
      const { id, scope, server, tool, sessionId } = grant;
      const place = [scope, server, tool].map(toKey);
      const session = sessionId === undefined ? null : toKey(sessionId);
      const value = JSON.stringify(grant);
      await writer.write(() => void save().run(toKey(id), ...place, session, value));
    },
    async list(tool) {
      const rows: readonly GrantRow[] =
        tool === undefined ? list().all() : listOfTool().all(toKey(tool.scope), toKey(tool.server), toKey(tool.name));
      return rows.map(fromRow);
    },
    async remove(id) {
      let removed = false;
      await writer.write(() => {
        removed = remove().run(toKey(id)).changes > 0;
      });
      return removed;
    },
  };
}

function fromRow({ id, value }: GrantRow): Grant {
  return parseStored(value, isGrant, () => ({ what: `The grant "${id}"`, table: "grants" }));
}

function isGrant(value: unknown): value is Grant {
  return (
    isJsonObject(value) &&
    isText(value.id) &&
    (value.verdict === "allow" || value.verdict === "deny") &&
    isOptional(value.sessionId, isText) &&
    isText(value.scope) &&
    isText(value.server) &&
    isText(value.tool) &&
    isText(value.fingerprint) &&
    isJsonObject(value.definition) &&
    isOptional(value.reason, isText) &&
    isText(value.createdAt)
  );
}
