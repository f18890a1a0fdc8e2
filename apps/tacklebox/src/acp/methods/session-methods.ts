import type { NewSessionResponse } from "@agentclientprotocol/sdk";
import type { ClientSession } from "../client-sessions.ts";
import type { EditorSession } from "../editor-session.ts";
import { readFolder, readOptionalText, readSessionParams, readText, type SessionParams } from "../read-params.ts";
import type { RpcReply } from "../rpc/peer.ts";
import { RpcError, sessionNotFound } from "../rpc/rpc-error.ts";
import { type Settings, toConfigOptions, toModes } from "../settings.ts";
import type { Method, MethodDeps, Methods } from "./method.ts";

export interface SessionMethodDeps extends MethodDeps {
  readonly newId: () => string;
  /** The settings of a new session. */
  readonly settings: Settings;
}

/** The methods that create, load, resume, list, close and delete sessions. */
export function createSessionMethods({ door, sessions, newId, settings }: SessionMethodDeps): Methods {
  /** A session's settings in the form that the client shows. */
  function shownSettings(session: ClientSession): Omit<NewSessionResponse, "sessionId"> {
    const choices = door.choices();
    return { modes: toModes(session.settings, choices), configOptions: toConfigOptions(session.settings, choices) };
  }

  /** Answers before anything is opened, so that neither the engine nor a server keeps the editor waiting. */
  const begin: Method = async (params) => {
    const session = sessions.add({ id: newId(), isSaved: false, params: readSessionParams(params), settings });
    return { result: { sessionId: session.id, ...shownSettings(session) }, after: () => introduce(session) };
  };

  async function reopen(params: unknown, replay: boolean): Promise<RpcReply> {
    const id = readText(params, "sessionId");
    const wanted: SessionParams = readSessionParams(params);
    await refuseOtherFolder(id, wanted.cwd);
    // Waits for the current prompt to end, since its answer is part of the history.
    const before = sessions.find(id)?.turn?.over;
    sessions.detach(id);
    await before;
    const session = sessions.add({ id, isSaved: true, params: wanted, settings });
    let opened: EditorSession;
    try {
      opened = await session.openInEngine();
    } catch (error) {
      sessions.forget(session);
      throw error;
    }
    session.settings = { ...session.settings, ...opened.saved };
    if (replay) await opened.replay();
    // The engine is open anyway, and some clients look for models only in this answer.
    await door.untilChoicesAreKnown();
    return { result: shownSettings(session), after: () => introduce(session) };
  }

  /** A session belongs to the folder it was created in. */
  async function refuseOtherFolder(id: string, cwd: string): Promise<void> {
    const { engine } = await door.open();
    const known = (await engine.sessions.get(id))?.folders?.[0];
    if (known !== undefined && known !== cwd)
      throw new RpcError("params", `Session '${id}' belongs to ${known} and cannot be opened in ${cwd}`);
  }

  const list: Method = async (params) => {
    const folder = readFolder(params, "cwd");
    // An empty cursor counts as none.
    const cursor = readOptionalText(params, "cursor") || undefined;
    const { engine } = await door.open();
    // Imported late, because it imports the engine.
    const { listSessions } = await import("../session-list.ts");
    return { result: await listSessions(engine, { folder, cursor }) };
  };

  const close: Method = async (params) => {
    const { id } = sessions.named(params);
    sessions.detach(id);
    // If the engine cannot be opened, there is nothing to close in it.
    const opened = await door.open().catch(() => undefined);
    await opened?.engine.sessions.close(id);
    return { result: {} };
  };

  const remove: Method = async (params) => {
    const id = readText(params, "sessionId");
    const { engine } = await door.open();
    const wasOpen = sessions.find(id) !== undefined;
    sessions.detach(id);
    await engine.sessions.close(id);
    if (!(await engine.sessions.remove(id)) && !wasOpen) throw sessionNotFound(id);
    return { result: {} };
  };

  return {
    "session/new": begin,
    "session/load": (params) => reopen(params, true),
    "session/resume": (params) => reopen(params, false),
    "session/list": list,
    "session/close": close,
    "session/delete": remove,
  };
}

function introduce(session: ClientSession): void {
  // A failure is reported with the next prompt; no one else waits for this promise.
  session.openInEngine().then(
    (opened) => opened.introduce(),
    () => undefined,
  );
}
