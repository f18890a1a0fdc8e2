import type { StopReason } from "@agentclientprotocol/sdk";
import { type ApprovalMode, type RunEnd, type RunEvent, type RunRequest, streamRun, type Usage } from "@tacklebox/core";
import { formatNewDefinitions } from "../../output/reports/definition-report.ts";
import { formatSelection, formatTrimmed } from "../../output/reports/run-report.ts";
import type { Abilities } from "../abilities.ts";
import type { AcpDoor } from "../door.ts";
import type { Peer } from "../rpc/peer.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { type CallUpdateContext, toCallUpdate, toToolCall } from "../updates/run-updates.ts";
import type { UpdateStream } from "../updates/update-stream.ts";
import { createApprovalRelay } from "./approvals.ts";
import { createQuestionRelay } from "./questions.ts";

/** Runs the prompts of one session and sends their events to the editor. */
export interface RunFollower {
  /** Works the prompt to its end. Rejects with RpcError when the person has to be told why it failed. */
  follow(request: RunRequest, signal: AbortSignal): Promise<StopReason>;
  /** Takes effect from the next call of the current run; does nothing without one. */
  setApprovalMode(mode: ApprovalMode): Promise<void>;
}

export interface RunFollowerDeps {
  readonly door: AcpDoor;
  readonly peer: Peer;
  readonly abilities: Abilities;
  readonly stream: UpdateStream;
  readonly sessionId: string;
  readonly cwd: string;
  /** Undefined while the client keeps up; otherwise resolves when it has caught up. */
  readonly drained: () => Promise<void> | undefined;
}

const STOP_REASON = {
  done: "end_turn",
  length: "max_tokens",
  refused: "refusal",
  cancelled: "cancelled",
  "too-many-rounds": "max_turn_requests",
} as const satisfies Partial<Record<RunEnd["reason"], StopReason>>;

type FailedRun = Exclude<RunEnd, { readonly reason: keyof typeof STOP_REASON }>;

function isFailure(end: RunEnd): end is FailedRun {
  return !(end.reason in STOP_REASON);
}

const WHERE = "`tacklebox tools --json` shows everything a server says about its tools.";
const plain = (text: string) => text;

/** As a block of code: what servers say is shown as it is written, not as Markdown. */
function toNotice(text: string): string {
  const fence = "`".repeat(Math.max(3, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)));
  return `${fence}\n${text}${fence}\n\n`;
}

export function formatWaiting(servers: readonly string[]): string {
  return `Waiting for MCP servers: ${servers.join(", ")}`;
}

/** A remark for the person that is not part of the conversation, if the event calls for one. */
function remarkFor(event: RunEvent): string | undefined {
  if (event.type === "waiting-for-servers") return formatWaiting(event.servers);
  if (event.type === "selection-made") return formatSelection(event.selection);
  return event.type === "context-trimmed" ? formatTrimmed(event.messages) : undefined;
}

/** The run in progress. A mode that is chosen before its id is known is applied once it is. */
interface ActiveRun {
  id: string | undefined;
  chosenMode: ApprovalMode | undefined;
}

export function createRunFollower(deps: RunFollowerDeps): RunFollower {
  const { door, peer, abilities, stream, sessionId, cwd, drained } = deps;
  const { engine, caller } = door;
  const questions = createQuestionRelay({ engine, peer, abilities, sessionId });
  const approvals = createApprovalRelay({ engine, peer, sessionId, callContext });
  let activeRun: ActiveRun | undefined;
  let model = "";

  async function follow(request: RunRequest, signal: AbortSignal): Promise<StopReason> {
    let end: RunEnd = { reason: "cancelled" };
    activeRun = { id: undefined, chosenMode: undefined };
    try {
      for await (const event of streamRun(engine, request, {
        attended: true,
        showsDefinitions: true,
        caller,
        signal,
      })) {
        await show(event);
        if (event.type === "run-ended") end = event.end;
        await drained();
      }
    } finally {
      activeRun = undefined;
      approvals.withdrawAll();
      questions.withdrawAll();
    }
    return toStopReason(end);
  }

  async function setApprovalMode(mode: ApprovalMode): Promise<void> {
    if (activeRun === undefined) return;
    if (activeRun.id === undefined) activeRun.chosenMode = mode;
    else await engine.runs.setApprovalMode(activeRun.id, mode);
  }

  async function begin(runId: string): Promise<void> {
    if (activeRun === undefined) return;
    activeRun.id = runId;
    if (activeRun.chosenMode !== undefined) await setApprovalMode(activeRun.chosenMode);
  }

  function toStopReason(end: RunEnd): StopReason {
    if (isFailure(end)) throw new RpcError("internal", end.message);
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
    if (event.type === "definitions-new") {
      stream.text(
        "agent_message_chunk",
        toNotice(formatNewDefinitions(event.definitions, { paint: plain, where: WHERE })),
      );
      if (activeRun?.id !== undefined) await engine.runs.confirmShown(activeRun.id);
    }
    const remark = remarkFor(event);
    if (remark !== undefined) stream.text("agent_thought_chunk", `${remark}\n`);
    if (event.type === "usage") sendUsage(event.usage);
    if (event.type === "call-changed" && event.call.status === "pending")
      stream.send(toToolCall(event.call, await callContext(event.call.shownName)));
    relayQuestions(event);
    const update = toCallUpdate(event);
    if (update !== undefined) stream.send(update);
  }

  /** Does not wait for the person's answers, so that other calls can go on. */
  function relayQuestions(event: RunEvent): void {
    if (event.type === "approval-requested") void approvals.ask(event.request);
    if (event.type === "approval-answered") approvals.withdraw(event.callId);
    if (event.type === "question-asked") void questions.ask(event.question);
    if (event.type === "question-answered") questions.withdraw(event.questionId);
  }

  function sendUsage({ inputTokens, outputTokens }: Usage): void {
    const size = door.choices().models.find(({ name }) => name === model)?.contextTokens;
    if (size !== undefined) stream.send({ sessionUpdate: "usage_update", used: inputTokens + outputTokens, size });
  }

  async function callContext(shownName: string): Promise<CallUpdateContext> {
    const tools = await engine.tools.list({ sessionId });
    return { tool: tools.find((tool) => tool.shownName === shownName), cwd };
  }

  return { follow, setApprovalMode };
}
