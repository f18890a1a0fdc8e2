import type { StopReason } from "@agentclientprotocol/sdk";
import { type EngineEvent, fromAcpEntries, type RunRequest, redactJson, type Session } from "@tacklebox/core";
import type { Door } from "./door.ts";
import { type CallOnServer, createRunFollower, formatWaiting } from "./follow-run.ts";
import type { Peer } from "./peer.ts";
import type { SessionParams } from "./read-params.ts";
import { replayUpdates } from "./replay.ts";
import { RpcError, sessionNotFound } from "./rpc-error.ts";
import { createServerNews } from "./server-news.ts";
import { approvalModeOf, type Settings } from "./settings.ts";
import { createSlashCommands } from "./slash-commands.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { createUpdateStream } from "./update-stream.ts";

/** One session of the editor while it is open. */
export interface EditorSession {
  /** What the store knows of its settings, for a session that was saved. */
  readonly saved: Settings;
  /**
   * Works one prompt to its end. Rejects with RpcError for what the person has to know. The approval mode is asked for again
   * before each call, as people change it when a run does not do what they thought.
   */
  prompt(prompt: RunRequest["prompt"], settings: () => Settings, signal: AbortSignal): Promise<StopReason>;
  /** Tells the whole conversation again. */
  replay(): Promise<void>;
  /** What the client may hear only once it knows the session: commands, and servers that failed. */
  introduce(): void;
  /** A call that is at work on this server, so that the server's questions find their person. */
  callOn(server: string): CallOnServer | undefined;
  /** Listens no more; the engine's session stays as it is. */
  leave(): void;
}

export interface SessionRequest {
  readonly id: string;
  /** Goes on with a saved session; else begins one under this id. */
  readonly isSaved: boolean;
  readonly params: SessionParams;
  readonly settings: Settings;
}

export interface SessionScene {
  readonly door: Door;
  readonly peer: Peer;
  readonly notices: boolean;
  /** Settles when the client has caught up with what it was sent. */
  readonly room: () => Promise<void> | undefined;
}

const UNKNOWN_CAUSE = "it could not be connected";

/** Opens the session in the engine; its servers connect behind it. Rejects with RpcError when there is no such session. */
export async function openEditorSession(request: SessionRequest, scene: SessionScene): Promise<EditorSession> {
  const { id, params } = request;
  const { door, peer, notices, room } = scene;
  const { engine, redact, logger } = door;
  const { cwd } = params;
  const within = { sessionId: id };
  const { definitions, warnings, problems, unusable } = fromAcpEntries(params.mcpServers, { cwd });
  for (const text of [...warnings, ...problems]) logger.log("warn", text, within);

  const background = new AbortController();
  const ownServers = new Set(definitions.map(({ key }) => key));
  let inTurn = false;
  let isStarted = false;
  let toldTitle: string | undefined;
  let refreshing: Promise<void> = Promise.resolve();
  const stream = createUpdateStream((update) => peer.notify("session/update", { sessionId: id, update }));
  const news = createServerNews({ notices, isInTurn: () => inTurn, send: stream.send });
  const commands = createSlashCommands({ engine, sessionId: id, problems });
  const runs = createRunFollower({ door, peer, stream, sessionId: id, cwd, room });
  for (const text of problems) news.problem(text);
  void door.started.then(() => {
    isStarted = true;
  });

  const unsubscribe = engine.subscribe(hear);
  const session = await open();

  async function open(): Promise<Session> {
    const opened = await engine.openSession({
      ...(request.isSaved ? { id } : { wantedId: id, ...settingsOf(request.settings) }),
      servers: definitions,
      unusable,
      folders: [cwd, ...params.additionalDirectories],
    });
    if (opened.kind === "ok") return opened.value;
    unsubscribe();
    throw request.isSaved ? sessionNotFound(id) : new RpcError("internal", opened.failure.message);
  }

  /** Its own servers, and those of the agent that none of its own has the name of. */
  function hear(event: EngineEvent): void {
    if (event.type !== "connection-changed" && event.type !== "offers-changed") return;
    const { sessionId, server } = event;
    if (sessionId !== id && (sessionId !== undefined || ownServers.has(server))) return;
    const status = event.type === "offers-changed" ? "connected" : event.status;
    if (event.type === "connection-changed" && status === "error")
      news.failed(server, redact(event.cause ?? UNKNOWN_CAUSE));
    if (status !== "connected") return;
    news.recovered(server);
    refreshCommands();
  }

  function refreshCommands(): void {
    refreshing = refreshing
      .then(async () => {
        if (!background.signal.aborted && (await commands.refresh(background.signal))) sendCommands();
      })
      // A server that goes away while it is asked has no commands; its end is told elsewhere.
      .catch((error: unknown) => logger.log("debug", `Prompts could not be listed: ${String(error)}`));
  }

  function sendCommands(): void {
    stream.send({ sessionUpdate: "available_commands_update", availableCommands: commands.list() });
  }

  /** Servers that failed before this session listened. */
  async function tellFailed(): Promise<void> {
    for (const { definition, status, cause = UNKNOWN_CAUSE } of await engine.listServers(within))
      if (status === "error") news.failed(definition.key, cause);
  }

  /** S4.18: what the config requires and cannot be had is said instead of working without it. */
  async function refuseUnlessStarted(signal: AbortSignal): Promise<void> {
    if (!isStarted) await tellWaiting();
    const problems = await unlessAborted(door.started, signal);
    if (problems === undefined || problems.length === 0) return;
    const servers = await engine.listServers();
    const connected = servers.filter(({ status }) => status === "connected").map(({ definition }) => definition.key);
    const left = problems.filter(({ kind, server = "" }) => kind !== "unreachable" || !connected.includes(server));
    if (left.length > 0) throw new RpcError("internal", left.map(({ text }) => text).join("\n\n"));
  }

  async function tellWaiting(): Promise<void> {
    const awaited = (await engine.listServers()).filter(({ status }) => status === "connecting");
    if (awaited.length === 0) return;
    stream.text("agent_thought_chunk", `${formatWaiting(awaited.map(({ definition }) => definition.name))}\n`);
  }

  async function work(prompt: RunRequest["prompt"], present: () => Settings, signal: AbortSignal): Promise<StopReason> {
    const settings = present();
    const approvalMode = approvalModeOf(settings, door.choices());
    const run = { prompt, sessionId: id, approvalMode, ...settingsOf(settings) };
    const stopReason = await runs.follow(run, { signal, approvalMode: () => present().mode ?? approvalMode });
    await tellTitle();
    return stopReason;
  }

  async function tellTitle(): Promise<void> {
    const known = (await engine.listSessions({ limit: 20 })).find((candidate) => candidate.id === id);
    if (known === undefined || known.title === toldTitle) return;
    toldTitle = known.title;
    stream.send({ sessionUpdate: "session_info_update", title: known.title, updatedAt: known.updatedAt });
  }

  function say(text: string, signal: AbortSignal): StopReason {
    stream.text("agent_message_chunk", text);
    return signal.aborted ? "cancelled" : "end_turn";
  }

  return {
    saved: settingsOf(session),
    async prompt(prompt, settings, signal) {
      inTurn = true;
      try {
        await tellFailed();
        news.tell();
        // Before anything is waited for: these say what is waited for, and bring back what is missing.
        const answer = await commands.answer(prompt, signal);
        if (answer !== undefined) return say(answer, signal);
        await refuseUnlessStarted(signal);
        if (signal.aborted) return "cancelled";
        const typed = await commands.fill(prompt, signal);
        return typed.kind === "prompt" ? await work(typed.prompt, settings, signal) : say(typed.text, signal);
      } finally {
        inTurn = false;
        stream.flush();
      }
    },
    async replay() {
      const conversation = await engine.loadSession(id);
      if (conversation === undefined) return;
      toldTitle = conversation.session.title;
      for (const update of replayUpdates(redactJson(redact, conversation), cwd)) stream.send(update);
    },
    introduce() {
      sendCommands();
      refreshCommands();
    },
    callOn: runs.callOn,
    leave() {
      unsubscribe();
      background.abort();
    },
  };
}

/** What of a session's settings the engine keeps. */
function settingsOf({ gpt, model }: Pick<Session, "gpt" | "model">): Settings {
  return { ...(gpt !== undefined && { gpt }), ...(model !== undefined && { model }) };
}
