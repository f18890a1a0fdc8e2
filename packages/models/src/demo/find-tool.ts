import { createToolSearch, type MatchReasons, type ModelTool, type ToolSearch } from "@tacklebox/core";
import { blankQuoted } from "./mask-quoted.ts";
import { inOtherWords, takesAway, withoutFiles } from "./other-words.ts";
import { wordsOf } from "./words.ts";

export interface PlannedMatch {
  readonly tool: ModelTool;
  /** How much of the text is about which tool to use. */
  readonly restAt: number;
  /** Whether enough is said to be sure, whatever arguments there are. */
  readonly isLikely: boolean;
}

const OPENING = /^\s*(?:please\s+)?(?:(?:call|use|run|try|invoke)\s+)?(?:the\s+)?(?:tool\s+)?[/"'`]?/i;

/** The tool whose name is written: at the beginning, or anywhere when nothing else can be meant by it. */
export function findNamedTool(text: string, tools: readonly ModelTool[]): PlannedMatch | undefined {
  const spelt = inOneSpelling(text);
  const opening = OPENING.exec(text)?.[0].length ?? 0;
  const longestFirst = [...tools].sort((a, b) => b.name.length - a.name.length);
  for (const start of [opening, text.length - text.trimStart().length]) {
    for (const tool of longestFirst) {
      if (spelt.startsWith(inOneSpelling(tool.name), start) && endsAt(text, start + tool.name.length))
        return { tool, restAt: restAfter(text, start + tool.name.length), isLikely: true };
    }
  }
  for (const tool of longestFirst) {
    const at = /[-_]/.test(tool.name) ? spelt.indexOf(inOneSpelling(tool.name)) : -1;
    if (at > 0 && !isWordCharacter(text[at - 1]) && endsAt(text, at + tool.name.length))
      return { tool, restAt: restAfter(text, at + tool.name.length), isLikely: true };
  }
  return undefined;
}

// Letters whose lower case is longer would move everything behind them.
function inOneSpelling(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll("-", "_");
}

function endsAt(text: string, at: number): boolean {
  return !isWordCharacter(text[at]) && text[at] !== "=";
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_-]/u.test(character);
}

function restAfter(text: string, at: number): number {
  return at + (/^["'`]?\s*:?\s*/.exec(text.slice(at))?.[0].length ?? 0);
}

/** So near to the best one that either may be meant. */
const NEAR = 0.9;
const MOST_FOUND = 5;

/** The tools that are most about the text, best first, as the search of the catalog finds them. */
export function findTools(text: string, tools: readonly ModelTool[]): PlannedMatch[] {
  const spoken = blankQuoted(text);
  const { query, end } = inOtherWords(spoken);
  const matches = searchOver(tools)
    .search(query, { limit: MOST_FOUND })
    .filter(({ why }) => !overlooks(why, query));
  const best = matches[0]?.score ?? 0;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return matches.flatMap(({ id, score, why }) => {
    const tool = byName.get(id);
    if (tool === undefined || score < best * NEAR) return [];
    const restAt = Math.max(end, restAfterWords(withoutFiles(spoken), new Set(wordsOf(tool.name))));
    return [{ tool, restAt, isLikely: isAbout(why) }];
  });
}

function overlooks({ words }: MatchReasons, query: string): boolean {
  return query.split(/[^\p{L}]+/u).some(takesAway) && !words.some(({ asked }) => takesAway(asked));
}

/** A word of its name, or several of what is said about it: less may be chance. */
function isAbout({ words }: MatchReasons): boolean {
  return words.length > 1 || words.some(({ fields }) => fields.includes("name"));
}

/** The same list is looked at several times for one turn. */
const searches = new WeakMap<readonly ModelTool[], ToolSearch>();

function searchOver(tools: readonly ModelTool[]): ToolSearch {
  const known = searches.get(tools);
  if (known !== undefined) return known;
  const search = createToolSearch();
  for (const tool of tools) if (tool.ours === undefined) search.set(tool.name, { ...tool, server: "" });
  searches.set(tools, search);
  return search;
}

/** Behind the last word that the tool's name has too. */
function restAfterWords(text: string, name: ReadonlySet<string>): number {
  const words = [...text.matchAll(/[\p{L}\p{N}_-]+/gu)];
  const last = words.findLast(([word]) => wordsOf(word).some((part) => name.has(part)));
  return last === undefined ? 0 : last.index + last[0].length;
}
