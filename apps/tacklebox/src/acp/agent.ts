import type { InitializeResponse, NewSessionResponse, StopReason } from "@agentclientprotocol/sdk";
import { VERSION } from "../version.ts";
import { type Client, toClient, UNKNOWN_CLIENT } from "./abilities.ts";
import type { AcpDoor } from "./door.ts";
import type { EditorSession, SessionRequest } from "./editor-session.ts";
import { isObject } from "./is-object.ts";
import type { PeerHooks, RpcReply } from "./peer.ts";
import { toPromptParts } from "./prompt-parts.ts";
import {
  readFolder,
  readMembers,
  readOptionalText,
  readSessionParams,
  readText,
  type SessionParams,
} from "./read-params.ts";
import { RpcError, sessionNotFound } from "./rpc-error.ts";
import { type Choices, choose, NO_CHOICES, type Settings, toConfigOptions, toModes } from "./settings.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** What the agent asks of the part of this door that needs the engine, which is loaded behind the first answers. */
export interface AgentParts {
  /** Called once, when something first needs the engine. */
  readonly openDoor: (client: Client) => Promise<AcpDoor>;
  readonly openSession: (request: SessionRequest, door: AcpDoor, client: Client) => Promise<EditorSession>;
  readonly notify: (sessionId: string, update: object) => void;
  readonly freshId: () => string;
  /** The settings sessions begin with. */
  readonly settings: Settings;
}

export interface Agent extends Pick<PeerHooks, "answer" | "hear"> {
  /** Ends every session, and the engine if there is one. */
  close(): Promise<void>;
}

/** A session the client knows. */
interface OpenSession {
  readonly id: string;
  settings: Settings;
  /** By an update in the course of a prompt: what comes right behind the answer to session/new, some clients do not hear. */
  knowsChoices: boolean;
  /** Opens it in the engine, once. */
  readonly work: () => Promise<EditorSession>;
  /** Set while it is open there. */
  opened: EditorSession | undefined;
  turn: Turn | undefined;
}

interface Turn {
  readonly stop: () => void;
  /** Settles when the prompt is answered. Never rejects. */
  readonly over: Promise<unknown>;
}

type PromptParts = ReturnType<typeof toPromptParts>;
type Method = (params: unknown, signal: AbortSignal) => Promise<RpcReply>;

/** ACP v1: what each method of the protocol does. Knows the engine only through what it is given. */
export function createAgent(parts: AgentParts): Agent {
  const sessions = new Map<string, OpenSession>();
  /** By session, what opens it in the engine. */
  const openings = new Map<string, Promise<unknown>>();
  let client: Client | undefined;
  let door: Promise<AcpDoor> | undefined;
  let choices: Choices = NO_CHOICES;

  function openDoor(): Promise<AcpDoor> {
    door ??= parts.openDoor(client ?? UNKNOWN_CLIENT).then((opened) => {
      void opened.allChoices.then(tellChoices);
      return opened;
    });
    return door;
  }

  /** Once it is known what there is to choose from, every session is told. */
  function tellChoices(known: Choices): void {
    choices = known;
    for (const session of sessions.values()) tellSettings(session);
  }

  /** They may still be on their way. Whoever waits here comes after tellChoices, which has waited longer. */
  async function untilChoicesAreKnown(): Promise<void> {
    await (await openDoor()).allChoices;
  }

  function tellSettings({ id, settings }: OpenSession): void {
    parts.notify(id, { sessionUpdate: "config_option_update", configOptions: toConfigOptions(settings, choices) });
  }

  function addSession(request: SessionRequest): OpenSession {
    let work: Promise<EditorSession> | undefined;
    const open = async () => {
      const { id } = request;
      const session = await parts.openSession(request, await openDoor(), client ?? UNKNOWN_CLIENT);
      if (sessions.get(id) === added) {
        added.opened = session;
        return session;
      }
      session.leave();
      if (sessions.has(id)) throw new RpcError("request", `Session '${id}' was opened again before it was open`);
      // Closed before it was open.
      await (await openDoor()).engine.sessions.close(id);
      throw sessionNotFound(id);
    };
    const added: OpenSession = {
      id: request.id,
      settings: request.settings,
      knowsChoices: request.isSaved,
      opened: undefined,
      turn: undefined,
      work() {
        work ??= inTurn(request.id, open);
        return work;
      },
    };
    sessions.set(request.id, added);
    return added;
  }

  /** One opening of a session after the other, so that the engine ends with what the client sent last. */
  function inTurn<T>(id: string, open: () => Promise<T>): Promise<T> {
    const before = openings.get(id);
    const opened = before === undefined ? open() : before.then(open, open);
    openings.set(id, opened);
    const forget = () => {
      if (openings.get(id) === opened) openings.delete(id);
    };
    void opened.then(forget, forget);
    return opened;
  }

  function sessionOf(params: unknown): OpenSession {
    const id = readText(params, "sessionId");
    const session = sessions.get(id);
    if (session === undefined) throw sessionNotFound(id);
    return session;
  }

  /** What the client shows of a session's settings. */
  function shownSettings({ settings }: OpenSession): Omit<NewSessionResponse, "sessionId"> {
    return { modes: toModes(settings, choices), configOptions: toConfigOptions(settings, choices) };
  }

  function introduce(session: OpenSession): void {
    // A failure is told to whoever prompts; nobody else waits for this promise.
    session.work().then(
      (opened) => opened.introduce(),
      () => undefined,
    );
  }

  const initialize: Method = async (params) => {
    const { clientInfo, clientCapabilities } = readMembers(params);
    client = toClient(clientInfo, clientCapabilities);
    const result: InitializeResponse = {
      protocolVersion: 1,
      agentInfo: { name: "tacklebox", title: "Tacklebox", version: VERSION },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      },
      authMethods: [],
    };
    return { result };
  };

  /** Answered before anything is opened: neither the engine nor a server keeps the editor waiting. */
  const beginSession: Method = async (params) => {
    const session = addSession({
      id: parts.freshId(),
      isSaved: false,
      params: readSessionParams(params),
      settings: parts.settings,
    });
    return { result: { sessionId: session.id, ...shownSettings(session) }, after: () => introduce(session) };
  };

  async function reopen(params: unknown, replay: boolean): Promise<RpcReply> {
    const id = readText(params, "sessionId");
    const wanted: SessionParams = readSessionParams(params);
    await refuseOtherFolder(id, wanted.cwd);
    // What is still being said in it is part of its history.
    const before = sessions.get(id)?.turn?.over;
    detach(id);
    await before;
    const session = addSession({ id, isSaved: true, params: wanted, settings: parts.settings });
    let opened: EditorSession;
    try {
      opened = await session.work();
    } catch (error) {
      if (sessions.get(id) === session) sessions.delete(id);
      throw error;
    }
    session.settings = { ...session.settings, ...opened.saved };
    if (replay) await opened.replay();
    // The engine is open anyway, and some clients look for a model in this answer alone.
    await untilChoicesAreKnown();
    return { result: shownSettings(session), after: () => introduce(session) };
  }

  /** A session stays where it began. */
  async function refuseOtherFolder(id: string, cwd: string): Promise<void> {
    const { engine } = await openDoor();
    const known = (await engine.sessions.get(id))?.folders?.[0];
    if (known !== undefined && known !== cwd)
      throw new RpcError("params", `Session '${id}' belongs to ${known} and cannot be opened in ${cwd}`);
  }

  /** Lets go of a session on this side of the engine. */
  function detach(id: string): void {
    const session = sessions.get(id);
    session?.turn?.stop();
    sessions.delete(id);
    session?.opened?.leave();
  }

  const list: Method = async (params) => {
    const folder = readFolder(params, "cwd");
    // An empty one counts as none.
    const cursor = readOptionalText(params, "cursor") || undefined;
    const { engine } = await openDoor();
    // It knows the engine's errors, and so loads the engine.
    const { listSessions } = await import("./session-list.ts");
    return { result: await listSessions(engine, { folder, cursor }) };
  };

  const closeSession: Method = async (params) => {
    const { id } = sessionOf(params);
    detach(id);
    // Where there is no engine to be had, there is nothing to close in it.
    const opened = await openDoor().catch(() => undefined);
    await opened?.engine.sessions.close(id);
    return { result: {} };
  };

  const deleteSession: Method = async (params) => {
    const id = readText(params, "sessionId");
    const { engine } = await openDoor();
    const wasOpen = sessions.has(id);
    detach(id);
    await engine.sessions.close(id);
    if (!(await engine.sessions.remove(id)) && !wasOpen) throw sessionNotFound(id);
    return { result: {} };
  };

  async function set(session: OpenSession, option: string, value: string): Promise<void> {
    const chosen = choose(session.settings, option, value, choices);
    if (typeof chosen === "string") throw new RpcError("params", chosen);
    session.settings = chosen;
    if (option === "mode" && chosen.mode !== undefined) await session.opened?.setApprovalMode(chosen.mode);
  }

  const setMode: Method = async (params) => {
    const session = sessionOf(params);
    await set(session, "mode", readText(params, "modeId"));
    return { result: {}, after: () => tellSettings(session) };
  };

  const setOption: Method = async (params) => {
    const session = sessionOf(params);
    const before = toModes(session.settings, choices).currentModeId;
    await untilChoicesAreKnown();
    await set(session, readText(params, "configId"), readText(params, "value"));
    const { currentModeId } = toModes(session.settings, choices);
    return {
      result: { configOptions: toConfigOptions(session.settings, choices) },
      after() {
        if (currentModeId === before) return;
        parts.notify(session.id, { sessionUpdate: "current_mode_update", currentModeId });
      },
    };
  };

  /** From before model choice was an option; some editors still send it. */
  const setModel: Method = async (params) => {
    const { sessionId, modelId } = readMembers(params);
    await setOption({ sessionId, configId: "model", value: modelId }, new AbortController().signal);
    return { result: {} };
  };

  const prompt: Method = async (params, withdrawn) => {
    const session = sessionOf(params);
    const parsed = toPromptParts(readMembers(params).prompt);
    if (session.turn !== undefined)
      throw new RpcError("request", "The session is busy with another prompt. Wait for its end, or cancel it");
    const turn = new AbortController();
    const answer = workPrompt(session, parsed, AbortSignal.any([turn.signal, withdrawn]));
    session.turn = { stop: () => turn.abort(), over: answer.catch(() => undefined) };
    try {
      const stopReason = await answer;
      if (withdrawn.aborted) throw new RpcError("cancelled", "The prompt was withdrawn");
      return { result: { stopReason } };
    } finally {
      session.turn = undefined;
    }
  };

  async function workPrompt(session: OpenSession, prompt: PromptParts, signal: AbortSignal): Promise<StopReason> {
    const opened = await unlessAborted(session.work(), signal);
    if (opened === undefined) return "cancelled";
    const stopReason = await opened.prompt(prompt, () => session.settings, signal);
    if (!session.knowsChoices && !signal.aborted) {
      await untilChoicesAreKnown();
      session.knowsChoices = true;
      tellSettings(session);
    }
    return stopReason;
  }

  const methods: ReadonlyMap<string, Method> = new Map(
    Object.entries({
      "session/new": beginSession,
      "session/load": (params) => reopen(params, true),
      "session/resume": (params) => reopen(params, false),
      "session/list": list,
      "session/close": closeSession,
      "session/delete": deleteSession,
      "session/set_mode": setMode,
      "session/set_config_option": setOption,
      "session/set_model": setModel,
      "session/prompt": prompt,
    } satisfies Record<string, Method>),
  );

  return {
    async answer(method, params, signal) {
      if (method === "initialize") return initialize(params, signal);
      if (client === undefined) throw new RpcError("request", "The first request must be initialize");
      const known = methods.get(method);
      if (known === undefined) throw new RpcError("method", `There is no method '${method}'`);
      return known(params, signal);
    },
    hear(method, params) {
      const id = isObject(params) ? params.sessionId : undefined;
      if (method === "session/cancel" && typeof id === "string") sessions.get(id)?.turn?.stop();
    },
    async close() {
      for (const id of [...sessions.keys()]) detach(id);
      const opened = await door?.catch(() => undefined);
      await opened?.close();
    },
  };
}
