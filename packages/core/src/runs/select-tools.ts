import type { Message } from "../domain/message.ts";
import type { ModelSummary } from "../domain/model.ts";
import type { SearchSettings } from "../domain/search-settings.ts";
import type { SelectedTool, Selection } from "../domain/selection.ts";
import type { RegisteredTool } from "../domain/tool.ts";
import { isBrought, type SearchTools } from "../toolbox/search/search-tools.ts";
import { definitionTokens } from "./tool-tokens.ts";

export interface SelectionContext {
  /** What the session may call and a model may see. */
  readonly tools: readonly RegisteredTool[];
  readonly prompt: string;
  /** What was said before the prompt. */
  readonly messages: readonly Message[];
  /** Shown names of the tools that were called in the conversation, the latest last. */
  readonly used: readonly string[];
  readonly model: Pick<ModelSummary, "contextTokens" | "maxTools">;
  readonly settings: SearchSettings;
  readonly search: SearchTools;
}

/** The tools of a request: what is the same for every prompt, then what was chosen for this one. */
export interface SelectedTools {
  readonly steady: readonly RegisteredTool[];
  readonly chosen: readonly RegisteredTool[];
  /** To be sent, but the model takes no more. */
  readonly capped: readonly RegisteredTool[];
  readonly selection: Selection;
}

const MOST_BUDGET_TOKENS = 8_000;
/** Shares of the budget: for `always` tools that somebody asked for by name, and for what is chosen. */
const MOST_ASKED = 0.5;
const MOST_CHOSEN = 0.4;
const LEAST_CHOSEN = 0.25;
/** Ours: to search and to call come with a selection, to read on may come any time. */
const FINDERS = 2;
const READERS = 1;

/**
 * What of a session's tools goes into the requests of one prompt. Everything that is always in, while it fits; beyond
 * that, `always` tools compete with the `agent` ones, and the best matches go along with what was used before. What was
 * sent for an earlier prompt keeps its place, so that the vendor's cache of the request's beginning holds.
 */
export async function selectTools(context: SelectionContext): Promise<SelectedTools> {
  const budget = budgetOf(context);
  const owed = context.tools.filter(isOwed);
  const room = roomOf(context, owed);
  const capped = owed.slice(room);
  const always = context.tools.filter((tool) => !isOwed(tool) && tool.include === "always");
  const fits = owed.length + always.length <= room && definitionTokens([...owed, ...always]) <= budget;
  const kept = fits ? always : within(budget * MOST_ASKED, room - owed.length, always.filter(isAsked));
  const sent = new Set([...owed.slice(0, room), ...kept]);
  const steady = context.tools.filter((tool) => sent.has(tool));
  const candidates = context.tools.filter((tool) => !isOwed(tool) && !sent.has(tool));
  const rest = budget - definitionTokens(steady);
  const chosen = await choose(candidates, context, {
    tokens: Math.min(budget * MOST_CHOSEN, Math.max(budget * LEAST_CHOSEN, rest)),
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

/** A small window must not be filled with definitions, and a large one is no reason to pay for them. */
function budgetOf({ settings, model }: SelectionContext): number {
  return settings.budgetTokens ?? Math.min(MOST_BUDGET_TOKENS, model.contextTokens / 10);
}

/** How many tools of servers the model takes; where all there are fit, ours need no room. */
function roomOf({ model, tools }: SelectionContext, owed: readonly RegisteredTool[]): number {
  const room = (model.maxTools ?? Number.POSITIVE_INFINITY) - READERS;
  return owed.length === tools.length && owed.length <= room ? room : Math.max(0, room - FINDERS);
}

/** Added tools were asked for, and session servers were brought for this conversation (S3.9). */
function isOwed(tool: RegisteredTool): boolean {
  return tool.include === "manual" || isBrought(tool);
}

/** Somebody wrote `always` for this very tool, and not for its server or not at all. */
function isAsked({ includeBy }: RegisteredTool): boolean {
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
  // All of them or none: leaving out one moves all behind it, and then the cache is lost anyway.
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

/** What search chose for the prompts before, in the order it was sent in. */
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
