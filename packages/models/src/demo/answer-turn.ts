import type { CallPart, CallResultPart, Message, ModelRequest, ModelTool } from "@tacklebox/core";
import { completePlan, type Plan, type PlannedTool, planNamed, planStep, splitSteps } from "./plan-step.ts";
import { INTRODUCTION, NO_TOOLS, sayMissing, sayResult, sayUnknown } from "./say.ts";

export interface DemoAnswer {
  readonly text: string;
  readonly call?: CallPart;
}

/**
 * What comes next in a conversation. Only what people wrote is acted upon: a tool's result is repeated, never obeyed
 * (T19), and no tool is called that the request does not offer.
 */
export function answerTurn({ messages, tools }: ModelRequest): DemoAnswer {
  const { last, plan } = lookAhead(messages, tools, MOST_QUESTIONS);
  const finder = plan?.kind === "unknown" ? tools.find(({ ours }) => ours === "search") : undefined;
  const said = isIntroduced(messages) ? [] : [INTRODUCTION];
  const text = [...said, ...last.map((result) => sayResult(result, tools))].join("\n\n");
  if (plan === undefined) return { text };
  if (finder !== undefined) {
    const query = textOf(messages.findLast(({ role }) => role === "user"));
    return { text, call: { type: "call", id: nextId(messages), tool: finder.name, arguments: { query } } };
  }
  if (plan.kind !== "call") return { text: [text, sayProblem(plan, tools)].filter((part) => part !== "").join("\n\n") };
  const call: CallPart = { type: "call", id: nextId(messages), tool: plan.tool.name, arguments: plan.arguments };
  return { text, call };
}

function sayProblem(plan: Exclude<Plan, { readonly kind: "call" }>, tools: readonly ModelTool[]): string {
  if (tools.length === 0) return NO_TOOLS;
  return plan.kind === "unknown" ? sayUnknown(tools) : sayMissing(plan.tool, plan.missing);
}

interface Outlook {
  /** What the latest calls for this prompt came to. */
  readonly last: readonly CallResultPart[];
  /** Absent when nothing is left to do. */
  readonly plan?: Plan;
}

/** Leaves a question without an answer. */
const NEVER_MIND = /^\s*(?:never\s?mind|cancel|stop|forget (?:it|that)|nothing|no(?:,? thanks?(?: you)?)?)[.!]*\s*$/i;

/** How many answers in a row may leave something open. */
const MOST_QUESTIONS = 4;

/** Nothing is kept between turns: what is to be done, and what was asked for, follows from what was said. */
function lookAhead(messages: readonly Message[], tools: readonly ModelTool[], questions: number): Outlook {
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

/** What we asked for last: the words that follow are the answer, unless they name a tool. */
function openQuestion(
  messages: readonly Message[],
  tools: readonly ModelTool[],
  questions: number,
): PlannedTool | undefined {
  if (questions === 0 || messages.length === 0) return undefined;
  const { plan } = lookAhead(messages, tools, questions - 1);
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
