import type { StopReason } from "@agentclientprotocol/sdk";
import {
  type ApprovalMode,
  type EngineEvent,
  fromAcpEntries,
  listen,
  loadConversation,
  type RunRequest,
  type Session,
} from "@tacklebox/core";
import type { Abilities } from "./abilities.ts";
import type { AcpDoor } from "./door.ts";
import { createRunFollower, formatWaiting } from "./follow-run.ts";
import type { Peer } from "./peer.ts";
import type { SessionParams } from "./read-params.ts";
import { replayUpdates } from "./replay.ts";
import { RpcError, sessionNotFound, toRpcFailure } from "./rpc-error.ts";
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
   * Works one prompt to its end. Rejects with RpcError for what the person has to know. The settings are asked for when
   * its run begins, which may be a while later.
   */
  prompt(prompt: RunRequest["prompt"], settings: () => Settings, signal: AbortSignal): Promise<StopReason>;
  /** Counts for the run that goes on, from its next call on: people change it when a run does not do what they thought. */
  setApprovalMode(mode: ApprovalMode): Promise<void>;
  /** Tells the whole conversation again. */
  replay(): Promise<void>;
  /** What the client may hear only once it knows the session: commands, and servers that failed. */
  introduce(): void;
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

export interface SessionContext {
  readonly door: AcpDoor;
  readonly peer: Peer;
  readonly abilities: Abilities;
  /** Settles when the client has caught up with what it was sent. */
  readonly room: () => Promise<void> | undefined;
}

const UNKNOWN_CAUSE = "it could not be connected";

/** Opens the session in the engine; its servers connect behind it. Rejects with RpcError when there is no such session. */
export async function openEditorSession(request: SessionRequest, context: SessionContext): Promise<EditorSession> {
  const { id, params } = request;
  const { door, peer, abilities, room } = context;
  const { engine, logger } = door;
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
  const news = createServerNews({ notices: abilities.notices, isInTurn: () => inTurn, send: stream.send });
  const commands = createSlashCommands({ engine, sessionId: id, problems });
  const runs = createRunFollower({ door, peer, abilities, stream, sessionId: id, cwd, room });
  for (const text of problems) news.problem(text);
  void door.started.then(() => {
    isStarted = true;
  });

  const unsubscribe = listen(engine, hear);
  const session = await open();

  async function open(): Promise<Session> {
    const opened = await engine.sessions.open({
      ...(request.isSaved ? { id } : { wantedId: id, ...settingsOf(request.settings) }),
      servers: definitions,
      unusable,
      folders: [cwd, ...params.additionalDirectories],
    });
    if (opened.kind === "ok") return opened.value;
    unsubscribe();
    throw opened.failure.code === "not-found" ? sessionNotFound(id) : toRpcFailure(opened.failure);
  }

  /** Its own servers, and those of the agent that none of its own has the name of. */
  function hear(event: EngineEvent): void {
    // Servers that failed meanwhile are told with the next prompt.
    if (event.type === "gap") refreshCommands();
    if (event.type !== "connection-changed" && event.type !== "offers-changed") return;
    const { sessionId, server } = event;
    if (sessionId !== id && (sessionId !== undefined || ownServers.has(server))) return;
    const status = event.type === "offers-changed" ? "connected" : event.status;
    if (event.type === "connection-changed" && status === "error") news.failed(server, event.cause ?? UNKNOWN_CAUSE);
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

  /** Servers that failed while this session did not listen. */
  async function tellFailed(): Promise<void> {
    for (const { key, status, cause = UNKNOWN_CAUSE } of await engine.servers.list(within)) {
      if (status === "error") news.failed(key, cause);
      if (status === "connected") news.recovered(key);
    }
  }

  /** S4.18: what the config requires and cannot be had is said instead of working without it. */
  async function refuseUnlessStarted(signal: AbortSignal): Promise<void> {
    if (!isStarted) await tellWaiting();
    const problems = await unlessAborted(door.started, signal);
    if (problems === undefined || problems.length === 0) return;
    const servers = await engine.servers.list();
    const connected = servers.filter(({ status }) => status === "connected").map(({ key }) => key);
    const left = problems.filter(({ kind, server = "" }) => kind !== "unreachable" || !connected.includes(server));
    if (left.length > 0) throw new RpcError("internal", left.map(({ text }) => text).join("\n\n"));
  }

  async function tellWaiting(): Promise<void> {
    const awaited = (await engine.servers.list()).filter(({ status }) => status === "connecting");
    if (awaited.length === 0) return;
    stream.text("agent_thought_chunk", `${formatWaiting(awaited.map(({ name }) => name))}\n`);
  }

  async function work(prompt: RunRequest["prompt"], present: () => Settings, signal: AbortSignal): Promise<StopReason> {
    const settings = present();
    const approvalMode = approvalModeOf(settings, door.choices());
    const run = { prompt, sessionId: id, approvalMode, ...settingsOf(settings) };
    const stopReason = await runs.follow(run, signal);
    await tellTitle();
    return stopReason;
  }

  async function tellTitle(): Promise<void> {
    const known = await engine.sessions.get(id);
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
    setApprovalMode: runs.setApprovalMode,
    async replay() {
      const conversation = await loadConversation(engine, id);
      if (conversation === undefined) return;
      toldTitle = conversation.session.title;
      for (const update of replayUpdates(conversation, cwd)) stream.send(update);
    },
    introduce() {
      sendCommands();
      refreshCommands();
    },
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
