import { createToolSearch, type MatchReasons, type ModelTool, type ToolSearch } from "@tacklebox/core";
import { blankQuoted } from "./mask-quoted.ts";
import { isDestructive, toToolWords, withoutFiles } from "./tool-words.ts";
import { wordsOf } from "./words.ts";

export interface PlannedMatch {
  readonly tool: ModelTool;
  /** Where the words that identify the tool end. */
  readonly restAt: number;
  /** Whether the words alone identify the tool, whatever arguments follow. */
  readonly isLikely: boolean;
}

const OPENING = /^\s*(?:please\s+)?(?:(?:call|use|run|try|invoke)\s+)?(?:the\s+)?(?:tool\s+)?[/"'`]?/i;

/** Finds the tool whose name is written at the beginning, or anywhere if the name is no ordinary word. */
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

// ASCII only: some other letters have a longer lower case, which would shift all positions after them.
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

/** Tools that score at least this share of the best score are considered too. */
const NEAR = 0.9;
const MAX_FOUND = 5;

/** Finds the tools that match the text best, best first, with the same search as the catalog. */
export function findTools(text: string, tools: readonly ModelTool[]): PlannedMatch[] {
  const spoken = blankQuoted(text);
  const { query, end } = toToolWords(spoken);
  const matches = searchOver(tools)
    .search(query, { limit: MAX_FOUND })
    .filter(({ why }) => !ignoresDestructiveWord(why, query));
  const best = matches[0]?.score ?? 0;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return matches.flatMap(({ id, score, why }) => {
    const tool = byName.get(id);
    if (tool === undefined || score < best * NEAR) return [];
    const restAt = Math.max(end, restAfterWords(withoutFiles(spoken), new Set(wordsOf(tool.name))));
    return [{ tool, restAt, isLikely: isAbout(why) }];
  });
}

function ignoresDestructiveWord({ words }: MatchReasons, query: string): boolean {
  return query.split(/[^\p{L}]+/u).some(isDestructive) && !words.some(({ asked }) => isDestructive(asked));
}

/** Whether a word of the tool's name matched, or several of its description: less may be chance. */
function isAbout({ words }: MatchReasons): boolean {
  return words.length > 1 || words.some(({ fields }) => fields.includes("name"));
}

/** Cached, since one turn searches the same list several times. */
const searches = new WeakMap<readonly ModelTool[], ToolSearch>();

function searchOver(tools: readonly ModelTool[]): ToolSearch {
  const known = searches.get(tools);
  if (known !== undefined) return known;
  const search = createToolSearch();
  for (const tool of tools) if (tool.builtIn === undefined) search.set(tool.name, { ...tool, server: "" });
  searches.set(tools, search);
  return search;
}

/** The position after the last word that is also in the tool's name. */
function restAfterWords(text: string, name: ReadonlySet<string>): number {
  const words = [...text.matchAll(/[\p{L}\p{N}_-]+/gu)];
  const last = words.findLast(([word]) => wordsOf(word).some((part) => name.has(part)));
  return last === undefined ? 0 : last.index + last[0].length;
}
