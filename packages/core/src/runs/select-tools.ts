import type { Message } from "../domain/message.ts";
import type { ModelSummary } from "../domain/model.ts";
import type { SearchSettings } from "../domain/search-settings.ts";
import type { SelectedTool, Selection } from "../domain/selection.ts";
import type { RegisteredTool } from "../domain/tool.ts";
import { isAlwaysSent, type SearchTools } from "../toolbox/search/search-tools.ts";
import { definitionTokens } from "./tool-tokens.ts";

export interface SelectionContext {
  /** The tools that the session may call and a model may see. */
  readonly tools: readonly RegisteredTool[];
  readonly prompt: string;
  /** The conversation before the prompt. */
  readonly messages: readonly Message[];
  /** Shown names of the tools that were called in the conversation, the latest last. */
  readonly used: readonly string[];
  readonly model: Pick<ModelSummary, "contextTokens" | "maxTools">;
  readonly settings: SearchSettings;
  readonly search: SearchTools;
}

/** The tools of a request: first those that are the same for every prompt, then those chosen for this one. */
export interface SelectedTools {
  readonly steady: readonly RegisteredTool[];
  readonly chosen: readonly RegisteredTool[];
  /** Tools that should be sent but exceed the number the model accepts. */
  readonly capped: readonly RegisteredTool[];
  readonly selection: Selection;
}

const MAX_BUDGET_TOKENS = 8_000;
/** Shares of the budget: for tools configured as `always` by name, and for those chosen by search. */
const MAX_EXPLICIT = 0.5;
const MAX_CHOSEN = 0.4;
const MIN_CHOSEN = 0.25;
/** Built-in tools: those for searching and calling come with a selection; the one for reading on may come any time. */
const FINDERS = 2;
const READERS = 1;

/**
 * Selects which of a session's tools go into the requests of one prompt. All `always` tools are sent while they fit;
 * beyond that, they compete with the `agent` tools, and the best matches are sent together with tools used before.
 * Tools sent for an earlier prompt keep their place, so that the vendor's cache of the request's beginning stays valid.
 */
export async function selectTools(context: SelectionContext): Promise<SelectedTools> {
  const budget = budgetOf(context);
  const mandatory = context.tools.filter(isMandatory);
  const room = roomOf(context, mandatory);
  const capped = mandatory.slice(room);
  const always = context.tools.filter((tool) => !isMandatory(tool) && tool.include === "always");
  const fits = mandatory.length + always.length <= room && definitionTokens([...mandatory, ...always]) <= budget;
  const kept = fits ? always : within(budget * MAX_EXPLICIT, room - mandatory.length, always.filter(isExplicit));
  const sent = new Set([...mandatory.slice(0, room), ...kept]);
  const steady = context.tools.filter((tool) => sent.has(tool));
  const candidates = context.tools.filter((tool) => !isMandatory(tool) && !sent.has(tool));
  const unused = budget - definitionTokens(steady);
  const chosen = await choose(candidates, context, {
    tokens: Math.min(budget * MAX_CHOSEN, Math.max(budget * MIN_CHOSEN, unused)),
    tools: room - steady.length,
  });
  return {
    steady,
    capped,
    chosen: chosen.map(({ tool }) => tool),
    selection: {
      tools: [...steady.map(toSteady), ...chosen.map(toChosen)],
      left: candidates.length - chosen.length,
      demoted: always.length - kept.length,
      capped: capped.length,
    },
  };
}

/**
 * Of the tools that came up after the selection, those that still fit into the requests of the same prompt. Tools that
 * were to be found by search are left to it.
 */
export function selectLate(
  late: readonly RegisteredTool[],
  sent: readonly RegisteredTool[],
  context: Pick<SelectionContext, "settings" | "model">,
): readonly RegisteredTool[] {
  const room = (context.model.maxTools ?? Number.POSITIVE_INFINITY) - READERS - FINDERS - sent.length;
  const wanted = late.filter((tool) => isMandatory(tool) || tool.include === "always");
  return within(budgetOf(context) - definitionTokens(sent), room, wanted);
}

/** Definitions must not fill a small window, and a large window is no reason to pay for more of them. */
function budgetOf({ settings, model }: Pick<SelectionContext, "settings" | "model">): number {
  return settings.budgetTokens ?? Math.min(MAX_BUDGET_TOKENS, model.contextTokens / 10);
}

/** How many server tools the model accepts. If all of them fit, no room is needed for the search and call tools. */
function roomOf({ model, tools }: SelectionContext, mandatory: readonly RegisteredTool[]): number {
  const room = (model.maxTools ?? Number.POSITIVE_INFINITY) - READERS;
  return mandatory.length === tools.length && mandatory.length <= room ? room : Math.max(0, room - FINDERS);
}

/** A person added the tool, or the session brought its server for this conversation. */
function isMandatory(tool: RegisteredTool): boolean {
  return tool.include === "manual" || isAlwaysSent(tool);
}

/** Whether `always` was configured for this very tool, rather than for its server or by default. */
function isExplicit({ includeBy }: RegisteredTool): boolean {
  return includeBy === "tool";
}

function within(tokens: number, count: number, tools: readonly RegisteredTool[]): readonly RegisteredTool[] {
  let left = tokens;
  return tools
    .filter((tool) => {
      const cost = definitionTokens([tool]);
      if (cost > left) return false;
      left -= cost;
      return true;
    })
    .slice(0, Math.max(0, count));
}

interface Room {
  readonly tokens: number;
  readonly tools: number;
}

interface Chosen {
  readonly tool: RegisteredTool;
  readonly score?: number;
}

async function choose(
  candidates: readonly RegisteredTool[],
  context: SelectionContext,
  room: Room,
): Promise<readonly Chosen[]> {
  if (candidates.length === 0) return [];
  const byName = new Map(candidates.map((tool) => [tool.shownName, tool]));
  const named = (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? []);
  const used = named(context.used);
  const earlier = named(earlierNames(context.messages));
  const matches = await matchesOf(candidates, context);
  const scores = new Map(matches.map(({ tool, score }) => [tool, score]));
  const wanted = new Set(within(room.tokens / 2, room.tools, [...used].reverse()));
  const found = matches.map(({ tool }) => tool).filter((tool) => !wanted.has(tool));
  const left = (more: readonly RegisteredTool[]) => room.tokens - definitionTokens([...wanted, ...more]);
  for (const tool of within(left([]), room.tools - wanted.size, found)) wanted.add(tool);
  // All of them or none: leaving one out moves all tools after it, and then the cache is lost anyway.
  const unused = earlier.filter((tool) => !wanted.has(tool));
  if (left(unused) >= 0 && wanted.size + unused.length <= room.tools) for (const tool of unused) wanted.add(tool);
  const ordered = new Set([...earlier, ...used, ...wanted].filter((tool) => wanted.has(tool)));
  return Array.from(ordered, (tool) => {
    const score = scores.get(tool);
    return score === undefined ? { tool } : { tool, score };
  });
}

async function matchesOf(candidates: readonly RegisteredTool[], { prompt, settings, search }: SelectionContext) {
  const { topK, topN, includeScore } = settings;
  const found = await search(prompt, candidates, topK);
  return found.filter(({ score }, place) => place < topN || score >= includeScore);
}

/** The names of the tools that search chose for earlier prompts, in the order they were sent. */
function earlierNames(messages: readonly Message[]): readonly string[] {
  const last = messages.findLast((message) => message.role === "assistant" && message.selection !== undefined);
  const tools = last?.role === "assistant" ? (last.selection?.tools ?? []) : [];
  return tools.filter(({ mode }) => mode === "agent").map(({ name }) => name);
}

function toSteady({ shownName, ref, include }: RegisteredTool): SelectedTool {
  return { name: shownName, server: ref.server, mode: include === "manual" ? "manual" : "always" };
}

function toChosen({ tool: { shownName, ref }, score }: Chosen): SelectedTool {
  return { name: shownName, server: ref.server, mode: "agent", ...(score !== undefined && { score: round(score) }) };
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
