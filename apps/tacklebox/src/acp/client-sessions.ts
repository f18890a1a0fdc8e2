import type { AcpDoor } from "./door.ts";
import type { EditorSession, SessionRequest } from "./editor-session.ts";
import type { LazyDoor } from "./lazy-door.ts";
import { readText } from "./read-params.ts";
import { RpcError, sessionNotFound } from "./rpc/rpc-error.ts";
import type { Settings } from "./settings.ts";

/** A session that the client knows about. */
export interface ClientSession {
  readonly id: string;
  settings: Settings;
  /** Whether the choices were sent in an update during a prompt: some clients miss updates right after session/new. */
  knowsChoices: boolean;
  /** Opens the session in the engine, once. */
  readonly openInEngine: () => Promise<EditorSession>;
  /** Set while the session is open in the engine. */
  opened: EditorSession | undefined;
  turn: Turn | undefined;
}

interface Turn {
  readonly stop: () => void;
  /** Resolves when the prompt is answered. Never rejects. */
  readonly over: Promise<unknown>;
}

/** The sessions of one client, by their ids. */
export interface ClientSessions {
  list(): readonly ClientSession[];
  find(id: string): ClientSession | undefined;
  /** The session that a request names. Throws RpcError when there is none. */
  named(params: unknown): ClientSession;
  /** Adds a session, replacing one with the same id. */
  add(request: SessionRequest): ClientSession;
  /** Removes a session, unless another has replaced it. */
  forget(session: ClientSession): void;
  /** Stops the session's prompt and removes it here. The engine's session stays open. */
  detach(id: string): void;
}

export interface ClientSessionsDeps {
  readonly door: LazyDoor;
  readonly openSession: (request: SessionRequest, door: AcpDoor) => Promise<EditorSession>;
}

/** The state of one session id. Opening a session may outlast the client's interest in it. */
interface Slot {
  session: ClientSession | undefined;
  opening: Promise<unknown> | undefined;
}

export function createClientSessions({ door, openSession }: ClientSessionsDeps): ClientSessions {
  const slots = new Map<string, Slot>();

  function find(id: string): ClientSession | undefined {
    return slots.get(id)?.session;
  }

  function slotOf(id: string): Slot {
    const slot = slots.get(id) ?? { session: undefined, opening: undefined };
    slots.set(id, slot);
    return slot;
  }

  function dropIfEmpty(id: string, { session, opening }: Slot): void {
    if (session === undefined && opening === undefined) slots.delete(id);
  }

  function forget(session: ClientSession): void {
    const slot = slots.get(session.id);
    if (slot?.session !== session) return;
    slot.session = undefined;
    dropIfEmpty(session.id, slot);
  }

  async function open(request: SessionRequest, added: ClientSession): Promise<EditorSession> {
    const { id } = request;
    const session = await openSession(request, await door.open());
    const current = find(id);
    if (current === added) {
      added.opened = session;
      return session;
    }
    session.leave();
    if (current !== undefined)
      throw new RpcError("request", `Session '${id}' was opened again before this request was done`);
    // The client closed it before it was open.
    await (await door.open()).engine.sessions.close(id);
    throw sessionNotFound(id);
  }

  /** Opens sessions of one id one after the other, so that the client's last request wins. */
  function openInOrder<T>(id: string, task: () => Promise<T>): Promise<T> {
    const slot = slotOf(id);
    const opened = slot.opening === undefined ? task() : slot.opening.then(task, task);
    slot.opening = opened;
    const settled = () => {
      if (slot.opening !== opened) return;
      slot.opening = undefined;
      dropIfEmpty(id, slot);
    };
    void opened.then(settled, settled);
    return opened;
  }

  return {
    list: () => [...slots.values()].flatMap(({ session }) => session ?? []),
    find,
    named(params) {
      const id = readText(params, "sessionId");
      const session = find(id);
      if (session === undefined) throw sessionNotFound(id);
      return session;
    },
    add(request) {
      const { id, settings, isSaved } = request;
      let editorSession: Promise<EditorSession> | undefined;
      const added: ClientSession = {
        id,
        settings,
        knowsChoices: isSaved,
        opened: undefined,
        turn: undefined,
        openInEngine() {
          editorSession ??= openInOrder(id, () => open(request, added));
          return editorSession;
        },
      };
      slotOf(id).session = added;
      return added;
    },
    forget,
    detach(id) {
      const session = find(id);
      if (session === undefined) return;
      session.turn?.stop();
      forget(session);
      session.opened?.leave();
    },
  };
}
