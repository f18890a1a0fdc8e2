import type { StopReason } from "@agentclientprotocol/sdk";
import {
  type ApprovalMode,
  type ApprovalRequest,
  type RunEnd,
  type RunEvent,
  type RunRequest,
  streamRun,
  type Usage,
} from "@tacklebox/core";
import { formatSelection, formatTrimmed } from "../output/run-report.ts";
import type { Abilities } from "./abilities.ts";
import type { AcpDoor } from "./door.ts";
import type { Peer } from "./peer.ts";
import { toApprovalAnswer, toPermissionOptions } from "./permission.ts";
import { createQuestionRelay } from "./questions.ts";
import { RpcError } from "./rpc-error.ts";
import { type CallUpdateContext, toAskedCall, toCallUpdate, toToolCall } from "./run-updates.ts";
import type { UpdateStream } from "./update-stream.ts";

/** The runs of one session, as its editor sees them. */
export interface RunFollower {
  /** Works the prompt to its end. Rejects with RpcError for what the person has to know. */
  follow(request: RunRequest, signal: AbortSignal): Promise<StopReason>;
  /** Counts from the next call of the run that goes on; nothing happens when none does. */
  setApprovalMode(mode: ApprovalMode): Promise<void>;
}

export interface FollowerContext {
  readonly door: AcpDoor;
  readonly peer: Peer;
  readonly abilities: Abilities;
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

/** A run that goes on. What is chosen before its id is known waits for that. */
interface Going {
  id: string | undefined;
  chosenMode: ApprovalMode | undefined;
}

export function createRunFollower(context: FollowerContext): RunFollower {
  const { door, peer, abilities, stream, sessionId, cwd, room } = context;
  const { engine, caller } = door;
  const questions = createQuestionRelay({ engine, peer, abilities, sessionId });
  /** Approvals the person has not given yet, by call. */
  const asking = new Map<string, AbortController>();
  let going: Going | undefined;
  let model = "";

  async function follow(request: RunRequest, signal: AbortSignal): Promise<StopReason> {
    let end: RunEnd = { reason: "cancelled" };
    going = { id: undefined, chosenMode: undefined };
    try {
      for await (const event of streamRun(engine, request, { attended: true, caller, signal })) {
        await show(event);
        if (event.type === "run-ended") end = event.end;
        await room();
      }
    } finally {
      going = undefined;
      for (const id of asking.keys()) takeBack(id);
      questions.takeAllBack();
    }
    return toStopReason(end);
  }

  async function setApprovalMode(mode: ApprovalMode): Promise<void> {
    if (going === undefined) return;
    if (going.id === undefined) going.chosenMode = mode;
    else await engine.runs.setApprovalMode(going.id, mode);
  }

  async function begin(runId: string): Promise<void> {
    if (going === undefined) return;
    going.id = runId;
    if (going.chosenMode !== undefined) await setApprovalMode(going.chosenMode);
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
    if (event.type === "run-started") {
      model = event.model;
      await begin(event.runId);
    }
    const remark = remarkOn(event);
    if (remark !== undefined) stream.text("agent_thought_chunk", `${remark}\n`);
    if (event.type === "usage") tellUsage(event.usage);
    if (event.type === "call-changed" && event.call.status === "pending")
      stream.send(toToolCall(event.call, await sceneOf(event.call.shownName)));
    consult(event);
    const update = toCallUpdate(event);
    if (update !== undefined) stream.send(update);
  }

  /** What the person is asked is not waited for: other calls go on meanwhile. */
  function consult(event: RunEvent): void {
    if (event.type === "approval-requested") void ask(event.request);
    if (event.type === "approval-answered") takeBack(event.callId);
    if (event.type === "question-asked") void questions.ask(event.question);
    if (event.type === "question-answered") questions.takeBack(event.questionId);
  }

  function tellUsage({ inputTokens, outputTokens }: Usage): void {
    const size = door.choices().models.find(({ name }) => name === model)?.contextTokens;
    if (size !== undefined) stream.send({ sessionUpdate: "usage_update", used: inputTokens + outputTokens, size });
  }

  async function sceneOf(shownName: string): Promise<CallUpdateContext> {
    const tools = await engine.tools.list({ sessionId });
    return { tool: tools.find((tool) => tool.shownName === shownName), cwd };
  }

  async function ask(request: ApprovalRequest): Promise<void> {
    const { callId, shownName } = request;
    const question = new AbortController();
    asking.set(callId, question);
    try {
      const toolCall = toAskedCall(request, await sceneOf(shownName));
      const params = { sessionId, toolCall, options: toPermissionOptions(request) };
      const response = await peer.request("session/request_permission", params, question.signal);
      await engine.approvals.answer(callId, toApprovalAnswer(response, request));
    } catch (error) {
      // Answered elsewhere, expired or cancelled: the engine knows already.
      if (question.signal.aborted) return;
      const detail = error instanceof Error ? error.message : String(error);
      await engine.approvals.answer(callId, { kind: "deny", reason: `the editor could not ask. ${detail}` });
    }
  }

  function takeBack(callId: string): void {
    asking.get(callId)?.abort();
    asking.delete(callId);
  }

  return { follow, setApprovalMode };
}
