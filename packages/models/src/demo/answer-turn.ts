import type { CallPart, CallResultPart, Message, ModelRequest, ModelTool } from "@tacklebox/core";
import { INTRODUCTION, missingArgumentsText, NO_TOOLS, resultText, unknownToolText } from "./demo-texts.ts";
import { completePlan, type Plan, type PlannedTool, planNamed, planStep, splitSteps } from "./plan-step.ts";

export interface DemoAnswer {
  readonly text: string;
  readonly call?: CallPart;
}

/**
 * Produces the next turn of a conversation. Acts only on what people wrote: a tool's result is repeated, never obeyed,
 * and no tool is called that the request does not offer.
 */
export function answerTurn({ messages, tools }: ModelRequest): DemoAnswer {
  const { last, plan } = planNext(messages, tools, MAX_QUESTIONS);
  const searchTool = plan?.kind === "unknown" ? tools.find(({ builtIn: ours }) => ours === "search") : undefined;
  const introduction = isIntroduced(messages) ? [] : [INTRODUCTION];
  const text = [...introduction, ...last.map((result) => resultText(result, tools))].join("\n\n");
  if (plan === undefined) return { text };
  if (searchTool !== undefined) {
    const query = textOf(messages.findLast(({ role }) => role === "user"));
    return { text, call: { type: "call", id: nextId(messages), tool: searchTool.name, arguments: { query } } };
  }
  if (plan.kind !== "call")
    return { text: [text, problemText(plan, tools)].filter((part) => part !== "").join("\n\n") };
  const call: CallPart = { type: "call", id: nextId(messages), tool: plan.tool.name, arguments: plan.arguments };
  return { text, call };
}

function problemText(plan: Exclude<Plan, { readonly kind: "call" }>, tools: readonly ModelTool[]): string {
  if (tools.length === 0) return NO_TOOLS;
  return plan.kind === "unknown" ? unknownToolText(tools) : missingArgumentsText(plan.tool, plan.missing);
}

interface NextStep {
  /** The results of the latest calls for this prompt. */
  readonly last: readonly CallResultPart[];
  /** Absent if nothing is left to do. */
  readonly plan?: Plan;
}

/** Matches a reply that drops our question instead of answering it. */
const NEVER_MIND = /^\s*(?:never\s?mind|cancel|stop|forget (?:it|that)|nothing|no(?:,? thanks?(?: you)?)?)[.!]*\s*$/i;

/** How many of our own questions in a row are followed back. */
const MAX_QUESTIONS = 4;

/** Decides what to do next from the transcript alone, since the model keeps no state between turns. */
function planNext(messages: readonly Message[], tools: readonly ModelTool[], questions: number): NextStep {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const prompt = textOf(messages[asked]);
  const results = messages.slice(asked + 1).flatMap((message) => (message.role === "tool" ? [message.results] : []));
  const last = results.at(-1) ?? [];
  const step = splitSteps(prompt, tools)[results.length];
  if (step === undefined || last.some(({ isError }) => isError)) return { last };
  const earlier = last.at(-1)?.text.trim();
  const named = planNamed(step, tools, earlier);
  if (named.kind !== "unknown") return { last, plan: named };
  if (NEVER_MIND.test(prompt)) return { last, plan: named };
  const open = results.length === 0 ? openQuestion(messages.slice(0, asked), tools, questions) : undefined;
  return { last, plan: open === undefined ? planStep(step, tools, earlier) : completePlan(open, prompt) };
}

/** The plan we last asked a question about: the next message is its answer, unless it names a tool. */
function openQuestion(
  messages: readonly Message[],
  tools: readonly ModelTool[],
  questions: number,
): PlannedTool | undefined {
  if (questions === 0 || messages.length === 0) return undefined;
  const { plan } = planNext(messages, tools, questions - 1);
  return plan?.kind === "incomplete" ? plan : undefined;
}

function isIntroduced(messages: readonly Message[]): boolean {
  return messages.some((message) => message.role === "assistant" && textOf(message).includes(INTRODUCTION));
}

function textOf(message: Message | undefined): string {
  if (message === undefined || message.role === "tool") return "";
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
}

function nextId(messages: readonly Message[]): string {
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.parts.filter(({ type }) => type === "call") : [],
  );
  return `call_${calls.length + 1}`;
}
