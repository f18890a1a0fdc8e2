import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { Message, Session, type SessionMessage, type Sessions, StoreError } from "@tacklebox/core";
import { parseStoredText } from "../rows/parse-stored.ts";
import { createJsonTable } from "./json-table.ts";
import { endOfPrefix, toKey, toLimit } from "./parameters.ts";
import { prepareLazily } from "./prepare-lazily.ts";
import { CONSTRAINT, extendedResultCode } from "./store-error.ts";
import type { GroupWriter } from "./writing/group-writer.ts";
import { inSavepoint } from "./writing/in-transaction.ts";

const SAVE = `
  INSERT INTO sessions (id, updated_at, value) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, value = excluded.value`;
const NEWEST_FIRST = "ORDER BY updated_at DESC, seq DESC LIMIT ?";
/** Sessions used at the same moment are ordered by `seq`; if the session itself is gone, none of them follow. */
const AFTER = "WHERE (updated_at, seq) < (?, coalesce((SELECT seq FROM sessions WHERE id = ?), 0))";
const BEGINS_WITH = "id >= ? AND id < ?";
const APPEND = "INSERT INTO session_messages (session_id, number, at, message) VALUES (?, ?, ?, ?)";
const MESSAGES = `
  SELECT number, at, message FROM session_messages WHERE session_id = ? AND number > ? ORDER BY number LIMIT ?`;
/** Message numbers start at 1. */
const ALL_MESSAGES = { after: 0, limit: Number.POSITIVE_INFINITY };
const REMOVE_GRANTS = "DELETE FROM grants WHERE session_id = ?";
/** Also removes the session's messages. */
const REMOVE = "DELETE FROM sessions WHERE id = ?";

interface MessageRow {
  readonly number: number;
  readonly at: string;
  readonly message: string;
}

// Hand-written SQL instead of the query builder, because every turn of a conversation goes through here.
export function createSessions(database: DatabaseSyncInstance, writer: GroupWriter): Sessions {
  const table = createJsonTable(database, writer, {
    name: "sessions",
    key: "id",
    label: "The session",
    schema: Session,
  });
  const save = table.save(SAVE);
  const load = table.select("WHERE id = ?");
  const list = table.select(NEWEST_FIRST);
  const listAfter = table.select(`${AFTER} ${NEWEST_FIRST}`);
  const listPrefixed = table.select(`WHERE ${BEGINS_WITH} ${NEWEST_FIRST}`);
  const listPrefixedAfter = table.select(`${AFTER} AND ${BEGINS_WITH} ${NEWEST_FIRST}`);
  const append = prepareLazily(database, APPEND);
  const messages = prepareLazily(database, MESSAGES);
  const removeGrants = prepareLazily(database, REMOVE_GRANTS);
  const remove = prepareLazily(database, REMOVE);

  return {
    save: (session) => save(session, toKey(session.id), session.updatedAt),
    load: async (id) => load(toKey(id))[0],
    async list({ limit, idPrefix, after }) {
      const most = toLimit(limit);
      const place = after === undefined ? undefined : ([after.updatedAt, toKey(after.id)] as const);
      if (idPrefix === undefined) return place === undefined ? list(most) : listAfter(...place, most);
      const range = [toKey(idPrefix), endOfPrefix(toKey(idPrefix))] as const;
      return place === undefined ? listPrefixed(...range, most) : listPrefixedAfter(...place, ...range, most);
    },
    async append(added) {
      if (added.length === 0) return;
      // Serialized now, because the caller may change the messages before the commit.
      const steps = added.map(toAppend);
      await writer.write(() =>
        inSavepoint(database, () => {
          for (const step of steps) step();
        }),
      );
    },
    async messages(id, { after, limit } = ALL_MESSAGES) {
      const rows: readonly MessageRow[] = messages().all(toKey(id), after, toLimit(limit));
      return rows.map((row) => fromMessageRow(id, row));
    },
    async remove(id) {
      let removed = false;
      await writer.write(() =>
        inSavepoint(database, () => {
          removeGrants().run(toKey(id));
          removed = remove().run(toKey(id)).changes > 0;
        }),
      );
      return removed;
    },
  };

  function toAppend({ sessionId, number, at, message }: SessionMessage): () => void {
    const text = JSON.stringify(message);
    return () => {
      try {
        append().run(toKey(sessionId), number, at, text);
      } catch (error) {
        throw toConflict(error, sessionId, number) ?? error;
      }
    };
  }
}

function toConflict(error: unknown, sessionId: string, number: number): StoreError | undefined {
  switch (extendedResultCode(error)) {
    case CONSTRAINT.primaryKey:
      return new StoreError(
        "conflict",
        `Session "${sessionId}" has a message ${number} already: something else wrote to it in the meantime. ` +
          "Nothing was added; open the session again to go on after that message.",
        error,
      );
    case CONSTRAINT.foreignKey:
      return new StoreError(
        "conflict",
        `Session "${sessionId}" does not exist, or was removed in the meantime. Nothing was added; begin a new session.`,
        error,
      );
    default:
      return undefined;
  }
}

function fromMessageRow(sessionId: string, { number, at, message: text }: MessageRow): SessionMessage {
  const message = parseStoredText(Message, text, () => ({
    what: `Message ${number} of the session "${sessionId}"`,
    table: "session_messages",
  }));
  return { sessionId, number, at, message };
}
