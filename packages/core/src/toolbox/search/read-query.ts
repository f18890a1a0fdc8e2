import { splitClauses } from "./words/split-clauses.ts";
import { splitWords } from "./words/split-words.ts";
import type { Stemmed } from "./words/stems.ts";

/** One word of a clause, however often it is said. */
export interface AskedWord extends Stemmed {
  count: number;
}

/** What is asked for, by stem. */
export type Clause = ReadonlyMap<string, AskedWord>;

const LONGEST_CLAUSE = 20_000;
const DIGITS = /^[0-9]+$/;

export interface QueryReader {
  readonly stem: (word: string) => Stemmed;
  /** Whether some tool says it. */
  readonly isSaid: (stem: string) => boolean;
}

export function readQuery(query: string, reader: QueryReader): readonly Clause[] {
  return splitClauses(query)
    .map((clause) => countWords(splitWords(clause, LONGEST_CLAUSE), reader))
    .filter(({ size }) => size > 0);
}

function countWords(words: readonly string[], { stem, isSaid }: QueryReader): Clause {
  const clause = new Map<string, AskedWord>();
  for (const word of words) {
    // Amounts and dates are for the tool's arguments; they do not say which tool.
    if (DIGITS.test(word)) continue;
    const stemmed = stem(word);
    const asked = clause.get(stemmed.stem);
    if (asked === undefined) clause.set(stemmed.stem, { ...stemmed, count: 1 });
    else asked.count += 1;
  }
  for (const [at, word] of words.entries()) {
    // Full text and fulltext, play list and playlist: people write it both ways, and tools either.
    const joined = at === 0 ? undefined : stem(`${words[at - 1]}${word}`);
    if (joined !== undefined && isSaid(joined.stem) && !clause.has(joined.stem))
      clause.set(joined.stem, { ...joined, count: 1 });
  }
  return clause;
}
