import type { JsonObject, ModelTool } from "@tacklebox/core";
import { fillArguments, type PlannedArguments } from "./fill-arguments.ts";
import { findNamedTool, findTools, type PlannedMatch } from "./find-tool.ts";
import { maskQuoted } from "./mask-quoted.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { wordsOf } from "./words.ts";

/** What one step of a prompt asks for. */
export type Plan =
  | { readonly kind: "call"; readonly tool: ModelTool; readonly arguments: JsonObject }
  | {
      readonly kind: "incomplete";
      readonly tool: ModelTool;
      readonly arguments: JsonObject;
      readonly missing: readonly Parameter[];
    }
  | { readonly kind: "unknown" };

export type PlannedTool = Exclude<Plan, { readonly kind: "unknown" }>;

/** A tool whose name is written; other words that fit many tools are not looked at. */
export function planNamed(text: string, tools: readonly ModelTool[], earlier?: string): Plan {
  const found = findNamedTool(text, tools);
  if (found === undefined) return { kind: "unknown" };
  // What comes before the name is about it, not about its arguments.
  const blank = " ".repeat(found.restAt);
  return planFor(found, { text: blank + text.slice(found.restAt), restAt: found.restAt, by: "name" }, earlier);
}

/** The tool with the most words in common; of several, the one that lacks least. */
export function planStep(text: string, tools: readonly ModelTool[], earlier?: string): Plan {
  const named = planNamed(text, tools, earlier);
  if (named.kind !== "unknown") return named;
  const plans = findTools(text, tools).flatMap((found) => {
    const { tool, restAt, isLikely } = found;
    const plan = planFor(found, { text, restAt, by: "words", ...(looksAround(tool) && { here: "." }) }, earlier);
    return isLikely || isFilled(plan) ? [plan] : [];
  });
  const [best] = plans.sort((a, b) => missingFor(a) - missingFor(b));
  return best ?? { kind: "unknown" };
}

/** Everything it needs was said: hardly by chance. */
function isFilled(plan: PlannedTool): boolean {
  return plan.kind === "call" && Object.keys(plan.arguments).length > 0;
}

function missingFor(plan: PlannedTool): number {
  return plan.kind === "call" ? 0 : plan.missing.length;
}

/** The same tool again, with what was missing in another text. */
export function completePlan({ tool, arguments: known }: PlannedTool, text: string): PlannedTool {
  return toPlan(tool, fillArguments(parametersOf(tool.inputSchema), { text, restAt: 0, by: "question" }, known));
}

/** `list the files` means those that are here. Whoever writes a tool's name is asked instead. */
function looksAround({ name }: ModelTool): boolean {
  return wordsOf(name).some((word) => /^(?:list|tree|search|find)$/.test(word));
}

function planFor({ tool }: PlannedMatch, wish: PlannedArguments, earlier: string | undefined): PlannedTool {
  const parameters = parametersOf(tool.inputSchema);
  return toPlan(tool, fillArguments(parameters, { ...wish, ...(earlier !== undefined && { earlier }) }));
}

function toPlan(tool: ModelTool, filling: ReturnType<typeof fillArguments>): PlannedTool {
  if (filling.missing.length === 0) return { kind: "call", tool, arguments: filling.arguments };
  return { kind: "incomplete", tool, ...filling };
}

const THEN = /\s*[,;.]?\s*(?<![\p{L}\p{N}])(?:and\s+)?then(?![\p{L}\p{N}])[,:]?\s+/giu;

/** `… then …` is two steps, as long as both are about a tool. */
export function splitSteps(text: string, tools: readonly ModelTool[]): readonly string[] {
  const steps: string[] = [];
  let begin = 0;
  for (const { 0: mark, index } of maskQuoted(text).matchAll(THEN)) {
    const after = text.slice(index + mark.length);
    const before = text.slice(begin, index);
    if (planStep(before, tools).kind === "unknown" || planStep(after, tools).kind === "unknown") continue;
    steps.push(before);
    begin = index + mark.length;
  }
  return [...steps, text.slice(begin)];
}
