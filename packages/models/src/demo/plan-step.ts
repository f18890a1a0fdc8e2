import type { JsonObject, ModelTool } from "@tacklebox/core";
import { type ArgumentRequest, fillArguments } from "./fill-arguments.ts";
import { findNamedTool, findTools, type PlannedMatch } from "./find-tool.ts";
import { maskQuoted } from "./mask-quoted.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { wordsOf } from "./words.ts";

/** The call that one step of a prompt asks for, as far as it is known. */
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

/** Plans a call only if the text contains a tool's name; does not match other words. */
export function planNamed(text: string, tools: readonly ModelTool[], earlier?: string): Plan {
  const found = findNamedTool(text, tools);
  if (found === undefined) return { kind: "unknown" };
  // Text before the name holds no arguments.
  const blank = " ".repeat(found.restAt);
  return planFor(found, { text: blank + text.slice(found.restAt), restAt: found.restAt, by: "name" }, earlier);
}

/** Plans a call of the tool with the most words in common; of several, the one with the fewest missing arguments. */
export function planStep(text: string, tools: readonly ModelTool[], earlier?: string): Plan {
  const named = planNamed(text, tools, earlier);
  if (named.kind !== "unknown") return named;
  const plans = findTools(text, tools).flatMap((found) => {
    const { tool, restAt, isLikely } = found;
    const plan = planFor(
      found,
      { text, restAt, by: "words", ...(defaultsToCurrentFolder(tool) && { here: "." }) },
      earlier,
    );
    return isLikely || isFilled(plan) ? [plan] : [];
  });
  const [best] = plans.sort((a, b) => missingFor(a) - missingFor(b));
  return best ?? { kind: "unknown" };
}

/** Whether all arguments were found in the text, which hardly happens by chance. */
function isFilled(plan: PlannedTool): boolean {
  return plan.kind === "call" && Object.keys(plan.arguments).length > 0;
}

function missingFor(plan: PlannedTool): number {
  return plan.kind === "call" ? 0 : plan.missing.length;
}

/** Plans the same tool again, taking the missing arguments from another text. */
export function completePlan({ tool, arguments: known }: PlannedTool, text: string): PlannedTool {
  return toPlan(tool, fillArguments(parametersOf(tool.inputSchema), { text, restAt: 0, by: "question" }, known));
}

/**
 * `list the files` means those in the current folder. A user who writes the tool's name is asked for a folder instead.
 */
function defaultsToCurrentFolder({ name }: ModelTool): boolean {
  return wordsOf(name).some((word) => /^(?:list|tree|search|find)$/.test(word));
}

function planFor({ tool }: PlannedMatch, request: ArgumentRequest, earlier: string | undefined): PlannedTool {
  const parameters = parametersOf(tool.inputSchema);
  return toPlan(tool, fillArguments(parameters, { ...request, ...(earlier !== undefined && { earlier }) }));
}

function toPlan(tool: ModelTool, filled: ReturnType<typeof fillArguments>): PlannedTool {
  if (filled.missing.length === 0) return { kind: "call", tool, arguments: filled.arguments };
  return { kind: "incomplete", tool, ...filled };
}

const THEN = /\s*[,;.]?\s*(?<![\p{L}\p{N}])(?:and\s+)?then(?![\p{L}\p{N}])[,:]?\s+/giu;

/** Splits `… then …` into two steps, if each of them matches a tool. */
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
