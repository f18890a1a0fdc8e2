import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { isJsonObject, type Session, type SessionMessage, type Sessions, StoreError } from "@tacklebox/core";
import type { GroupWriter } from "./group-writer.ts";
import { inSavepoint } from "./in-transaction.ts";
import { isMessage } from "./is-message.ts";
import { prepareLazily } from "./prepare-lazily.ts";
import { CONSTRAINT, extendedResultCode } from "./store-error.ts";
import { isOptional, isText, parseStored, toKey, toLimit } from "./stored-value.ts";

const SAVE = `
  INSERT INTO sessions (id, updated_at, value) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, value = excluded.value`;
const LOAD = "SELECT id, value FROM sessions WHERE id = ?";
const LIST = "SELECT id, value FROM sessions ORDER BY updated_at DESC, seq DESC LIMIT ?";
/** Of those used at the same moment, what was saved before it; none of them when it is gone. */
const LIST_AFTER = `
  SELECT id, value FROM sessions
  WHERE (updated_at, seq) < (?, coalesce((SELECT seq FROM sessions WHERE id = ?), 0))
  ORDER BY updated_at DESC, seq DESC LIMIT ?`;
const APPEND = "INSERT INTO session_messages (session_id, number, at, message) VALUES (?, ?, ?, ?)";
const MESSAGES = `
  SELECT number, at, message FROM session_messages WHERE session_id = ? AND number > ? ORDER BY number LIMIT ?`;
/** Numbers count up from 1. */
const ALL_MESSAGES = { after: 0, limit: Number.POSITIVE_INFINITY };
const REMOVE_GRANTS = "DELETE FROM grants WHERE session_id = ?";
/** Its messages go with it. */
const REMOVE = "DELETE FROM sessions WHERE id = ?";

interface SessionRow {
  readonly id: string;
  readonly value: string;
}

interface MessageRow {
  readonly number: number;
  readonly at: string;
  readonly message: string;
}

// Statements written by hand: a conversation goes through here turn by turn.
export function createSessions(database: DatabaseSyncInstance, writer: GroupWriter): Sessions {
  const save = prepareLazily(database, SAVE);
  const load = prepareLazily(database, LOAD);
  const list = prepareLazily(database, LIST);
  const listAfter = prepareLazily(database, LIST_AFTER);
  const append = prepareLazily(database, APPEND);
  const messages = prepareLazily(database, MESSAGES);
  const removeGrants = prepareLazily(database, REMOVE_GRANTS);
  const remove = prepareLazily(database, REMOVE);

  return {
    async save(session) {
      const value = JSON.stringify(session);
      await writer.write(() => void save().run(toKey(session.id), session.updatedAt, value));
    },
    async load(id) {
      const row: SessionRow | undefined = load().get(toKey(id));
      return row === undefined ? undefined : fromRow(row);
    },
    async list({ limit, after }) {
      const rows: readonly SessionRow[] =
        after === undefined
          ? list().all(toLimit(limit))
          : listAfter().all(after.updatedAt, toKey(after.id), toLimit(limit));
      return rows.map(fromRow);
    },
    async append(added) {
      if (added.length === 0) return;
      // As text from here on: the caller may change the messages before the commit.
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
        `Session "${sessionId}" has a message ${number} already: somebody else wrote to it meanwhile. ` +
          "Nothing was added; open the session again to go on after that message.",
        error,
      );
    case CONSTRAINT.foreignKey:
      return new StoreError(
        "conflict",
        `Session "${sessionId}" is not there, or was removed meanwhile. Nothing was added; begin a new session.`,
        error,
      );
    default:
      return undefined;
  }
}

function fromRow({ id, value }: SessionRow): Session {
  return parseStored(value, isSession, () => ({ what: `The session "${id}"`, table: "sessions" }));
}

function fromMessageRow(sessionId: string, { number, at, message: text }: MessageRow): SessionMessage {
  const message = parseStored(text, isMessage, () => ({
    what: `Message ${number} of the session "${sessionId}"`,
    table: "session_messages",
  }));
  return { sessionId, number, at, message };
}

function isSession(value: unknown): value is Session {
  return (
    isJsonObject(value) &&
    isText(value.id) &&
    isText(value.title) &&
    isText(value.createdAt) &&
    isText(value.updatedAt) &&
    isOptional(value.gpt, isText) &&
    isOptional(value.model, isText) &&
    isOptional(value.folders, isTexts) &&
    isOptional(value.tools, isChoices)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isChoices(value: unknown): value is NonNullable<Session["tools"]> {
  return isJsonObject(value) && Object.values(value).every((choice) => choice === "in" || choice === "out");
}
