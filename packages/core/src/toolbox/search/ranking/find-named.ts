import type { WordIndex } from "../words/word-index.ts";
import { plainName } from "./plain-name.ts";

const MAX_NAMES_LENGTH = 300;
const MAX_QUERY_LENGTH = 20_000;
const MAX_MENTIONS = 50;
/**
 * A single character class without backtracking: prompts may contain files, where backtracking takes quadratic time.
 */
const RUN = /[\p{L}\p{N}_/-]+/gu;
const OUTER = /^[_/-]+|[_/-]+$/g;
/** Text that is only ever written to mean a name: read_file, readFile, files/read_file. */
const MENTION = /[_/]|^\p{Ll}+\p{Lu}/u;
const SEPARATOR = /[^\p{L}\p{N}]+/gu;

/** The rows of the tools that the query names: the query is a name, with or without the server, or contains one. */
export function findNamed(query: string, index: WordIndex): ReadonlySet<number> {
  const named = new Set<number>();
  const text = query.trim();
  if (text.length <= MAX_NAMES_LENGTH) addNamed(text, index, named);
  for (const mention of mentionsIn(text.slice(0, MAX_QUERY_LENGTH))) addNamed(mention, index, named);
  return named;
}

function mentionsIn(text: string): readonly string[] {
  const runs = (text.match(RUN) ?? []).filter(({ length }) => length <= MAX_NAMES_LENGTH);
  const mentions = runs.map((run) => run.replace(OUTER, "")).filter((run) => MENTION.test(run));
  return [...new Set(mentions)].slice(0, MAX_MENTIONS);
}

function addNamed(text: string, index: WordIndex, named: Set<number>): void {
  for (const row of index.rowsNamed(plainName(text))) named.add(row);
  // Names may contain the separator between server and tool, so every separator is tried.
  for (const { index: end, 0: separator } of text.matchAll(SEPARATOR)) {
    const server = plainName(text.slice(0, end));
    for (const row of index.rowsNamed(plainName(text.slice(end + separator.length))))
      if (plainName(index.servers()[index.serverOf(row)]?.name ?? "") === server) named.add(row);
  }
}
