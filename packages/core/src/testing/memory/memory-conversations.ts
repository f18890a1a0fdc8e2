import type { Gpt } from "../../domain/gpt.ts";
import type { Grant } from "../../domain/grant.ts";
import type { Session, SessionMessage } from "../../domain/session.ts";
import type { Embeddings, Gpts, Grants, Sessions, SessionsQuery } from "../../ports/store.ts";

/** Message numbers start at 1. */
const ALL_MESSAGES = { after: 0, limit: Number.POSITIVE_INFINITY };

export interface MemoryConversations {
  readonly sessions: Map<string, Session>;
  readonly messages: Map<string, ReadonlyMap<number, SessionMessage>>;
  readonly grants: Map<string, Grant>;
  readonly gpts: Map<string, Gpt>;
  readonly embeddings: Map<string, readonly number[]>;
}

export function createMemoryConversations(): MemoryConversations {
  return { sessions: new Map(), messages: new Map(), grants: new Map(), gpts: new Map(), embeddings: new Map() };
}

/** Keeps and returns copies, as a real store would. `admit` is called before every write, and throws to refuse it. */
export function createMemorySessions(
  { sessions, messages }: MemoryConversations,
  grants: Grants,
  admit: () => void,
): Sessions {
  return {
    async save(session) {
      admit();
      sessions.set(session.id, structuredClone(session));
    },
    async load(id) {
      return structuredClone(sessions.get(id));
    },
    async list({ limit, idPrefix = "", after }) {
      const wanted = [...sessions.values()].filter(({ id }) => id.startsWith(idPrefix));
      const newestFirst = wanted.reverse().sort((a, b) => compare(b.updatedAt, a.updatedAt));
      const found = after === undefined ? newestFirst : newestFirst.filter((session) => comesAfter(session, after));
      return structuredClone(found.slice(0, Math.max(0, limit)));
    },
    async append(added) {
      admit();
      const next = new Map<string, Map<number, SessionMessage>>();
      for (const message of added) {
        const { sessionId, number } = message;
        if (!sessions.has(sessionId)) throw new Error(`There is no session "${sessionId}"`);
        const kept = next.get(sessionId) ?? new Map(messages.get(sessionId));
        if (kept.has(number)) throw new Error(`Session "${sessionId}" has a message ${number} already`);
        next.set(sessionId, kept.set(number, structuredClone(message)));
      }
      for (const [id, all] of next) messages.set(id, all);
    },
    async messages(id, { after, limit } = ALL_MESSAGES) {
      const kept = [...(messages.get(id)?.values() ?? [])].filter(({ number }) => number > after);
      return structuredClone(kept.sort((a, b) => a.number - b.number).slice(0, Math.max(0, limit)));
    },
    async remove(id) {
      admit();
      messages.delete(id);
      for (const grant of await grants.list()) if (grant.sessionId === id) await grants.remove(grant.id);
      return sessions.delete(id);
    },
  };

  function comesAfter(session: Session, { id, updatedAt }: NonNullable<SessionsQuery["after"]>): boolean {
    if (session.updatedAt !== updatedAt) return session.updatedAt < updatedAt;
    const places = [...sessions.keys()];
    return places.indexOf(session.id) < places.indexOf(id);
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function createMemoryGrants({ grants }: MemoryConversations, admit: () => void): Grants {
  const placeOf = ({ scope, server, tool, sessionId }: Grant) => JSON.stringify([scope, server, tool, sessionId]);
  return {
    async save(grant) {
      admit();
      // Removed first, so that the latest answer comes last.
      grants.delete(placeOf(grant));
      grants.set(placeOf(grant), structuredClone(grant));
    },
    async list(ref) {
      const listed = [...grants.values()].filter(
        ({ scope, server, tool }) =>
          ref === undefined || (scope === ref.scope && server === ref.server && tool === ref.name),
      );
      return structuredClone(listed);
    },
    async remove(id) {
      admit();
      const found = [...grants.values()].find((grant) => grant.id === id);
      return found !== undefined && grants.delete(placeOf(found));
    },
  };
}

export function createMemoryGpts({ gpts }: MemoryConversations, admit: () => void): Gpts {
  return {
    async save(gpt) {
      admit();
      gpts.set(gpt.key, structuredClone(gpt));
    },
    async list() {
      return structuredClone([...gpts.values()]);
    },
    async remove(key) {
      admit();
      return gpts.delete(key);
    },
  };
}

export function createMemoryEmbeddings({ embeddings: known }: MemoryConversations, admit: () => void): Embeddings {
  const placeOf = (model: string, key: string) => JSON.stringify([model, key]);
  return {
    async load(model, keys) {
      const found = keys.flatMap((key) => {
        const vector = known.get(placeOf(model, key));
        return vector === undefined ? [] : [[key, [...vector]] as const];
      });
      return new Map(found);
    },
    async save(model, vectors) {
      admit();
      for (const [key, vector] of vectors) known.set(placeOf(model, key), [...vector]);
    },
  };
}
