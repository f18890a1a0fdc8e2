import { plainName } from "./plain-name.ts";
import type { WordIndex } from "./words/word-index.ts";

const LONGEST_NAMES = 300;
const LONGEST_QUERY = 20_000;
const MOST_MENTIONS = 50;
/** One class and nothing after it: prompts hold files, and a pattern that looks back takes the square of their length. */
const RUN = /[\p{L}\p{N}_/-]+/gu;
const OUTER = /^[_/-]+|[_/-]+$/g;
/** What nobody would write who does not mean a name: read_file, readFile, files/read_file. */
const MENTION = /[_/]|^\p{Ll}+\p{Lu}/u;
const SEPARATOR = /[^\p{L}\p{N}]+/gu;

/** The rows of the tools that the query names: by being a name, with or without the server, or by containing one. */
export function findNamed(query: string, index: WordIndex): ReadonlySet<number> {
  const named = new Set<number>();
  const text = query.trim();
  if (text.length <= LONGEST_NAMES) addNamed(text, index, named);
  for (const mention of mentionsIn(text.slice(0, LONGEST_QUERY))) addNamed(mention, index, named);
  return named;
}

function mentionsIn(text: string): readonly string[] {
  const runs = (text.match(RUN) ?? []).filter(({ length }) => length <= LONGEST_NAMES);
  const mentions = runs.map((run) => run.replace(OUTER, "")).filter((run) => MENTION.test(run));
  return [...new Set(mentions)].slice(0, MOST_MENTIONS);
}

function addNamed(text: string, index: WordIndex, named: Set<number>): void {
  for (const row of index.rowsNamed(plainName(text))) named.add(row);
  // Names contain what separates them from their server, so every place may be the one.
  for (const { index: end, 0: separator } of text.matchAll(SEPARATOR)) {
    const server = plainName(text.slice(0, end));
    for (const row of index.rowsNamed(plainName(text.slice(end + separator.length))))
      if (plainName(index.servers()[index.serverOf(row)]?.name ?? "") === server) named.add(row);
  }
}
