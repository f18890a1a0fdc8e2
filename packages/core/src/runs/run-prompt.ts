import type { AssistantMessage, Message } from "../domain/message.ts";
import { ModelError } from "../domain/model.ts";
import type { RunEnd, RunEvent, RunRequest } from "../domain/run.ts";
import type { Logger } from "../ports/logger.ts";
import type { Model, ModelTool } from "../ports/model.ts";
import { type MakeCall, makeCalls, type PlannedCall } from "./make-calls.ts";
import { planCalls } from "./plan-calls.ts";
import type { RequestTools } from "./request-tools.ts";
import type { DefinitionReview } from "./review-definitions.ts";
import { streamTurn, type Turn } from "./stream-turn.ts";
import { textTokens, toolTokens, trimContext } from "./trim-context.ts";

/** Everything one run works with, looked up and opened before it begins. */
export interface RunContext {
  readonly runId: string;
  readonly model: Model;
  readonly instructions: string;
  readonly conversation: RunConversation;
  /** Resolves when the door has shown the definitions it is told of next; undefined if it shows none. */
  readonly shown: (() => Promise<void>) | undefined;
  /** Called before each request, after any wait for servers is over. */
  readonly openReview: () => DefinitionReview;
  /** Called once, after the first review. */
  readonly openTools: () => Promise<RequestTools>;
  readonly makeCall: MakeCall;
  readonly newId: () => string;
  readonly logger: Logger;
  /** ISO 8601. */
  readonly now: () => string;
  /** The servers to wait for before the model is asked; undefined if there are none. */
  readonly waiting: ServerWait | undefined;
}

export interface ServerWait {
  /** The names of the servers. */
  readonly servers: readonly string[];
  readonly over: Promise<void>;
}

/** The part of a session that a run needs. */
export interface RunConversation {
  readonly session: { readonly id: string };
  messages(): readonly Message[];
  append(...messages: readonly Message[]): Promise<void>;
}

const MAX_ROUNDS = 20;
const SMALLEST_BUDGET_TOKENS = 1_000;
const MAX_ANSWER_TOKENS = 4_096;

/**
 * Works one prompt to its end: model, calls, model, and so on. Every failure of a tool goes back to the model as that
 * tool's result; only the model itself, the limit on rounds or a person ends a run.
 */
export async function* runPrompt(
  { prompt, maxRounds = MAX_ROUNDS }: RunRequest,
  context: RunContext,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void> {
  const { conversation, model, runId } = context;
  await conversation.append({ role: "user", parts: prompt });
  yield {
    type: "run-started",
    runId,
    sessionId: conversation.session.id,
    model: model.summary.name,
  };
  const { waiting } = context;
  if (waiting !== undefined) {
    yield { type: "waiting-for-servers", servers: waiting.servers };
    await waiting.over;
    if (signal.aborted) return yield { type: "run-ended", runId, end: { reason: "cancelled" } };
  }
  yield* showDefinitions(context, signal);
  if (signal.aborted) return yield { type: "run-ended", runId, end: { reason: "cancelled" } };
  const tools = await context.openTools();
  const { selection } = tools;
  if (selection.left + selection.capped > 0) yield { type: "selection-made", selection };
  for (let round = 1; ; round += 1) {
    // Servers join and tools change during a run.
    if (round > 1) yield* showDefinitions(context, signal);
    if (signal.aborted) return yield { type: "run-ended", runId, end: { reason: "cancelled" } };
    const turn = planCalls(yield* askModel(tools, context, signal), conversation.messages(), context.newId);
    // Stored before any call is made: after a crash the session knows which calls it has to account for.
    if (turn.message.parts.length > 0)
      await conversation.append(round === 1 ? { ...turn.message, selection } : turn.message);
    const calls = turn.message.parts.filter(isPlanned);
    const end = endOf(turn, calls);
    if (end !== undefined) return yield { type: "run-ended", runId, end };
    const results = yield* makeCalls(calls, {
      ...context,
      vision: model.summary.vision,
      reading: tools.reading,
      answerBuiltIn: (call) => tools.answerBuiltIn(call, conversation.messages()),
      toRequest: tools.toRequest,
    });
    await conversation.append({ role: "tool", results });
    if (signal.aborted) return yield { type: "run-ended", runId, end: { reason: "cancelled" } };
    if (round >= maxRounds) return yield { type: "run-ended", runId, end: tooManyRounds() };
  }
}

/** Has the door show what no person has seen yet. What is not shown is not given to the model either. */
async function* showDefinitions(
  { openReview, shown }: Pick<RunContext, "openReview" | "shown">,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void> {
  const review = openReview();
  const definitions = await review.unseen();
  const tools = definitions.filter(({ tool }) => tool !== undefined);
  if (shown === undefined) {
    if (tools.length > 0) yield { type: "definitions-withheld", definitions: tools };
    return;
  }
  if (definitions.length === 0) return;
  // Before the door is told, so that it cannot answer too early.
  const wereShown = shown();
  yield { type: "definitions-new", definitions };
  await Promise.race([wereShown, whenAborted(signal)]);
  if (!signal.aborted) await review.accept(definitions);
}

/** Asks the model for one turn. A conversation the vendor finds too long is sent once more with half the budget. */
async function* askModel(
  { sent }: RequestTools,
  context: RunContext,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, Turn> {
  const tools = sent(context.conversation.messages());
  const budget = budgetFor(context, tools);
  const first = yield* askWithin(budget, tools, context, signal);
  if (!isTooLong(first)) return first;
  return yield* askWithin(Math.max(SMALLEST_BUDGET_TOKENS, budget / 2), tools, context, signal);
}

async function* askWithin(
  budget: number,
  tools: readonly ModelTool[],
  { model, instructions, conversation }: RunContext,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, Turn> {
  const { messages, trimmed } = trimContext(conversation.messages(), budget);
  if (trimmed > 0) yield { type: "context-trimmed", messages: trimmed };
  return yield* streamTurn(model, { instructions, messages, tools }, signal);
}

function budgetFor({ model, instructions }: RunContext, tools: readonly ModelTool[]): number {
  const { contextTokens } = model.summary;
  const answer = Math.min(MAX_ANSWER_TOKENS, contextTokens / 4);
  return Math.max(SMALLEST_BUDGET_TOKENS, contextTokens - answer - textTokens(instructions) - toolTokens(tools));
}

function isTooLong({ message, end }: Turn): boolean {
  return end instanceof ModelError && end.code === "context-too-long" && message.parts.length === 0;
}

function isPlanned(part: AssistantMessage["parts"][number]): part is PlannedCall {
  return part.type === "call" && part.callId !== undefined;
}

function endOf({ end }: Turn, calls: readonly PlannedCall[]): RunEnd | undefined {
  if (end instanceof ModelError) {
    if (end.code === "cancelled") return { reason: "cancelled" };
    const { code, message, retryAfterMs } = end;
    return { reason: "model-error", code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  if (end === "length" || end === "refused") return { reason: end };
  return calls.length === 0 ? { reason: "done" } : undefined;
}

function tooManyRounds(): RunEnd {
  return { reason: "too-many-rounds", message: "Error: maximum tool call rounds exceeded." };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}
