import type { StopReason } from "@agentclientprotocol/sdk";
import {
  type ApprovalRequest,
  type RunEnd,
  type RunEvent,
  type RunOptions,
  type RunRequest,
  redactJson,
  type Usage,
} from "@tacklebox/core";
import { formatSelection, formatTrimmed } from "../output/run-report.ts";
import type { Door } from "./door.ts";
import type { Peer } from "./peer.ts";
import { toApprovalAnswer, toPermissionOptions } from "./permission.ts";
import { RpcError } from "./rpc-error.ts";
import { type CallScene, toAskedCall, toCallUpdate, toToolCall } from "./run-updates.ts";
import type { UpdateStream } from "./update-stream.ts";

/** The runs of one session, as its editor sees them. */
export interface RunFollower {
  /** Works the prompt to its end. Rejects with RpcError for what the person has to know. */
  follow(request: RunRequest, options: Omit<RunOptions, "attended">): Promise<StopReason>;
  /** The call that is at work on this server. */
  callOn(server: string): CallOnServer | undefined;
}

export interface CallOnServer {
  readonly toolCallId: string;
  /** Aborted when the call has ended. */
  readonly ended: AbortSignal;
}

export interface FollowerScene {
  readonly door: Door;
  readonly peer: Peer;
  readonly stream: UpdateStream;
  readonly sessionId: string;
  readonly cwd: string;
  /** Settles when the client has caught up with what it was sent. */
  readonly room: () => Promise<void> | undefined;
}

const STOP_REASON = {
  done: "end_turn",
  length: "max_tokens",
  refused: "refusal",
  cancelled: "cancelled",
  "too-many-rounds": "max_turn_requests",
} as const satisfies Partial<Record<RunEnd["reason"], StopReason>>;

export function formatWaiting(servers: readonly string[]): string {
  return `Waiting for MCP servers: ${servers.join(", ")}`;
}

/** What is worth knowing beside the conversation. */
function remarkOn(event: RunEvent): string | undefined {
  if (event.type === "waiting-for-servers") return formatWaiting(event.servers);
  if (event.type === "selection-made") return formatSelection(event.selection);
  return event.type === "context-trimmed" ? formatTrimmed(event.messages) : undefined;
}

export function createRunFollower({ door, peer, stream, sessionId, cwd, room }: FollowerScene): RunFollower {
  const { engine, redact } = door;
  /** By call. */
  const atWork = new Map<string, { readonly server: string; readonly ended: AbortController }>();
  /** Questions the person has not answered yet, by call. */
  const asking = new Map<string, AbortController>();
  let model = "";

  async function follow(request: RunRequest, options: Omit<RunOptions, "attended">): Promise<StopReason> {
    let end: RunEnd = { reason: "cancelled" };
    try {
      for await (const raw of engine.run(request, { ...options, attended: true })) {
        const event: RunEvent = redactJson(redact, raw);
        await show(event);
        if (event.type === "run-ended") end = event.end;
        await room();
      }
    } finally {
      for (const id of asking.keys()) takeBack(id);
      for (const id of atWork.keys()) endWork(id);
    }
    return toStopReason(end);
  }

  function toStopReason(end: RunEnd): StopReason {
    if (end.reason === "not-started" || end.reason === "session-not-kept" || end.reason === "model-error")
      throw new RpcError("internal", end.message);
    if (end.reason === "too-many-rounds") stream.text("agent_message_chunk", `\n\n${end.message}`);
    return STOP_REASON[end.reason];
  }

  async function show(event: RunEvent): Promise<void> {
    if (event.type === "text") return stream.text("agent_message_chunk", event.text);
    if (event.type === "thought") return stream.text("agent_thought_chunk", event.text);
    if (event.type === "run-started") model = event.model;
    const remark = remarkOn(event);
    if (remark !== undefined) stream.text("agent_thought_chunk", `${remark}\n`);
    if (event.type === "usage") tellUsage(event.usage);
    if (event.type === "call-pending") {
      if (event.server !== undefined) atWork.set(event.id, { server: event.server, ended: new AbortController() });
      stream.send(toToolCall(event, await sceneOf(event.tool)));
    }
    if (event.type === "call-ended") endWork(event.id);
    if (event.type === "approval-requested") void ask(event.request);
    if (event.type === "approval-answered") takeBack(event.id);
    const update = toCallUpdate(event);
    if (update !== undefined) stream.send(update);
  }

  function tellUsage({ inputTokens, outputTokens }: Usage): void {
    const size = door.choices().models.find(({ name }) => name === model)?.contextTokens;
    if (size !== undefined) stream.send({ sessionUpdate: "usage_update", used: inputTokens + outputTokens, size });
  }

  async function sceneOf(shownName: string): Promise<CallScene> {
    const tools = await engine.listTools({ sessionId });
    return { tool: tools.find((tool) => tool.shownName === shownName), cwd };
  }

  /** Not waited for by the run: other calls go on meanwhile. */
  async function ask(request: ApprovalRequest): Promise<void> {
    const { callId, shownName } = request;
    const question = new AbortController();
    asking.set(callId, question);
    try {
      const toolCall = toAskedCall(request, await sceneOf(shownName));
      const params = { sessionId, toolCall, options: toPermissionOptions(request) };
      const response = await peer.request("session/request_permission", params, question.signal);
      await engine.answerApproval(callId, toApprovalAnswer(response, request));
    } catch (error) {
      // Answered elsewhere, expired or cancelled: the engine knows already.
      if (question.signal.aborted) return;
      const detail = error instanceof Error ? error.message : String(error);
      await engine.answerApproval(callId, { kind: "deny", reason: `the editor could not ask. ${detail}` });
    }
  }

  function endWork(callId: string): void {
    atWork.get(callId)?.ended.abort();
    atWork.delete(callId);
  }

  function callOn(server: string): CallOnServer | undefined {
    const found = Array.from(atWork).findLast(([, call]) => call.server === server);
    return found && { toolCallId: found[0], ended: found[1].ended.signal };
  }

  function takeBack(callId: string): void {
    asking.get(callId)?.abort();
    asking.delete(callId);
  }

  return { follow, callOn };
}
