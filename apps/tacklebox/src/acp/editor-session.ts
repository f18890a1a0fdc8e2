import type { StopReason } from "@agentclientprotocol/sdk";
import { type ApprovalMode, fromAcpEntries, loadConversation, type RunRequest, type Session } from "@tacklebox/core";
import { describeChanges } from "../output/reports/reload-report.ts";
import type { Abilities } from "./abilities.ts";
import type { AcpDoor } from "./door.ts";
import type { SessionParams } from "./read-params.ts";
import type { Peer } from "./rpc/peer.ts";
import { sessionNotFound, toRpcFailure } from "./rpc/rpc-error.ts";
import { createRunFollower } from "./run/follow-run.ts";
import { createServerNews } from "./server-news.ts";
import { watchSession } from "./session-watch.ts";
import { approvalModeOf, type Settings } from "./settings.ts";
import { createSlashCommands } from "./slash/slash-commands.ts";
import { createStartGate } from "./start-gate.ts";
import { replayUpdates } from "./updates/replay.ts";
import { createUpdateStream } from "./updates/update-stream.ts";

/** One of the editor's sessions while it is open. */
export interface EditorSession {
  /** The settings that the store has for the session. */
  readonly saved: Settings;
  /**
   * Works one prompt to its end. Rejects with RpcError when the person has to be told why it failed. Reads the settings
   * when the run begins, which may be a while later.
   */
  prompt(prompt: RunRequest["prompt"], settings: () => Settings, signal: AbortSignal): Promise<StopReason>;
  /** Takes effect from the next call of the current run: people change it when a run does something unexpected. */
  setApprovalMode(mode: ApprovalMode): Promise<void>;
  /** Sends the whole conversation again. */
  replay(): Promise<void>;
  /** Sends the available commands. Call it only once the client knows the session. */
  introduce(): void;
  /** Stops listening. The engine's session stays open. */
  leave(): void;
}

export interface SessionRequest {
  readonly id: string;
  /** True to resume a saved session, false to create one with this id. */
  readonly isSaved: boolean;
  readonly params: SessionParams;
  readonly settings: Settings;
}

export interface EditorSessionDeps {
  readonly door: AcpDoor;
  readonly peer: Peer;
  readonly abilities: Abilities;
  /** Undefined while the client keeps up; otherwise resolves when it has caught up. */
  readonly drained: () => Promise<void> | undefined;
}

/** Opens the session in the engine; its servers connect in the background. Rejects with RpcError if there is none. */
export async function openEditorSession(request: SessionRequest, deps: EditorSessionDeps): Promise<EditorSession> {
  const { id, params } = request;
  const { door, peer, abilities, drained } = deps;
  const { engine, logger } = door;
  const { cwd } = params;
  const within = { sessionId: id };
  const { definitions, warnings, problems, unusable } = fromAcpEntries(params.mcpServers, { cwd });
  for (const text of [...warnings, ...problems]) logger.log("warn", text, within);

  const ownServers = new Set(definitions.map(({ key }) => key));
  let inTurn = false;
  let sentTitle: string | undefined;
  const stream = createUpdateStream((update) => peer.notify("session/update", { sessionId: id, update }));
  const news = createServerNews({ notices: abilities.notices, isInTurn: () => inTurn, send: stream.send });
  const unused = door.leftOut === undefined ? problems : [door.leftOut, ...problems];
  const { reloadConfig } = door;
  const commands = createSlashCommands({ engine, sessionId: id, problems: unused, reloadConfig });
  const runs = createRunFollower({ door, peer, abilities, stream, sessionId: id, cwd, drained });
  if (door.leftOut !== undefined) news.leftOut(door.leftOut);
  for (const text of problems) news.problem(text);
  const gate = createStartGate(door, stream);
  const watch = watchSession({ engine, logger, sessionId: id, ownServers, news, commands, send: stream.send });
  const stopTelling = door.onReload((changes) => news.reloaded(describeChanges(changes)));
  const leave = () => {
    watch.end();
    stopTelling();
  };
  const session = await open();

  async function open(): Promise<Session> {
    const opened = await engine.sessions.open({
      ...(request.isSaved ? { id } : { wantedId: id, ...settingsOf(request.settings) }),
      servers: definitions,
      unusable,
      folders: [cwd, ...params.additionalDirectories],
    });
    if (opened.kind === "ok") return opened.value;
    leave();
    throw opened.failure.code === "not-found" ? sessionNotFound(id) : toRpcFailure(opened.failure);
  }

  async function work(
    prompt: RunRequest["prompt"],
    currentSettings: () => Settings,
    signal: AbortSignal,
  ): Promise<StopReason> {
    const settings = currentSettings();
    const approvalMode = approvalModeOf(settings, door.choices());
    const run = { prompt, sessionId: id, approvalMode, ...settingsOf(settings) };
    const stopReason = await runs.follow(run, signal);
    await sendTitle();
    return stopReason;
  }

  async function sendTitle(): Promise<void> {
    const known = await engine.sessions.get(id);
    if (known === undefined || known.title === sentTitle) return;
    sentTitle = known.title;
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
        await watch.reportFailed();
        news.flush();
        // Our own commands come before any waiting: they show what is being waited for and can reconnect a server.
        const answer = await commands.answer(prompt, signal);
        if (answer !== undefined) return say(answer, signal);
        await gate.pass(signal);
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
      sentTitle = conversation.session.title;
      for (const update of replayUpdates(conversation, cwd)) stream.send(update);
    },
    introduce: watch.announceCommands,
    leave,
  };
}

/** The part of a session's settings that the engine stores. */
function settingsOf({ gpt, model }: Pick<Session, "gpt" | "model">): Settings {
  return { ...(gpt !== undefined && { gpt }), ...(model !== undefined && { model }) };
}
