import type { SerialPerKey } from "../async/serial.ts";
import type { EngineEvent } from "../domain/events.ts";
import { EngineError } from "../domain/failure.ts";
import type { Gpt } from "../domain/gpt.ts";
import { toPage } from "../domain/page.ts";
import type { Session } from "../domain/session.ts";
import type { Toolbox } from "../domain/tool.ts";
import type { EngineSessions } from "../engine.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Sessions } from "../ports/store.ts";
import { redactJson } from "../secrets/redact.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { createSessionTools } from "./session-tools.ts";

export interface EngineSessionsDeps {
  readonly open: OpenSessions;
  readonly kept: Sessions;
  readonly toolboxOf: (sessionId: string) => Toolbox;
  readonly findGpt: (key: string) => Promise<Gpt | undefined>;
  readonly redact: Redactor;
  readonly emit: (event: EngineEvent) => void;
  /** Runs changes of one session one at a time. */
  readonly inTurn: SerialPerKey;
}

const USUAL_MESSAGES = 100;

export function createEngineSessions(deps: EngineSessionsDeps): EngineSessions {
  const { open, kept, toolboxOf, findGpt, redact, emit, inTurn } = deps;

  /** The session as stored, or as it was opened if nothing is stored yet. */
  async function get(id: string): Promise<Session | undefined> {
    return (await kept.load(id)) ?? open.find(id)?.session();
  }

  const setTool = createSessionTools({
    load: get,
    save: (session) => kept.save(session),
    toolboxOf,
    findGpt,
    emit,
    inTurn,
  });

  return {
    open: async (opening) => redactJson(redact, await open.open(opening)),
    close: open.close,
    // Stored sessions were redacted when they were saved, but some of their text may have become a secret since.
    get: async (id) => redactJson(redact, await get(id)),
    async list({ limit, idPrefix, after }) {
      const found = await kept.list({
        limit: limit + 1,
        idPrefix,
        ...(after !== undefined && { after: toPosition(after, redact) }),
      });
      return redactJson(
        redact,
        toPage(found, limit, ({ updatedAt, id }) => `${updatedAt} ${id}`),
      );
    },
    async messages(id, { limit = USUAL_MESSAGES, after = "0" } = {}) {
      if (!/^\d{1,15}$/.test(after)) throw invalidCursor(redact(after));
      const found = await kept.messages(id, { after: Number(after), limit: limit + 1 });
      return redactJson(
        redact,
        toPage(found, limit, ({ number }) => String(number)),
      );
    },
    async remove(id) {
      const closed = await open.close(id);
      const removed = await inTurn(id, () => kept.remove(id));
      if (removed) emit({ type: "session-changed", sessionId: id });
      return removed || closed;
    },
    setTool: async (...choice) => redactJson(redact, await setTool(...choice)),
  };
}

function toPosition(cursor: string, redact: Redactor): Pick<Session, "id" | "updatedAt"> {
  const [, updatedAt, id] = /^(\d{4}-\S+) (.+)$/s.exec(cursor) ?? [];
  if (updatedAt === undefined || id === undefined) throw invalidCursor(redact(cursor));
  return { updatedAt, id };
}

function invalidCursor(cursor: string): EngineError {
  return new EngineError("invalid", `'${cursor}' is not a valid page cursor`);
}
