import { splitClauses } from "../words/split-clauses.ts";
import { splitWords } from "../words/split-words.ts";
import type { Stemmed } from "../words/stems.ts";

/** One word of a clause, with the number of times it occurs. */
export interface AskedWord extends Stemmed {
  count: number;
}

/** The words of one part of a query, by stem. */
export type Clause = ReadonlyMap<string, AskedWord>;

const MAX_CLAUSE_LENGTH = 20_000;
const DIGITS = /^[0-9]+$/;

export interface QueryReader {
  readonly stem: (word: string) => Stemmed;
  /** Whether some tool contains a word with this stem. */
  readonly isIndexed: (stem: string) => boolean;
}

export function readQuery(query: string, reader: QueryReader): readonly Clause[] {
  return splitClauses(query)
    .map((clause) => countWords(splitWords(clause, MAX_CLAUSE_LENGTH), reader))
    .filter(({ size }) => size > 0);
}

function countWords(words: readonly string[], { stem, isIndexed }: QueryReader): Clause {
  const clause = new Map<string, AskedWord>();
  for (const word of words) {
    // Amounts and dates are for the tool's arguments; they do not tell which tool is wanted.
    if (DIGITS.test(word)) continue;
    const stemmed = stem(word);
    const asked = clause.get(stemmed.stem);
    if (asked === undefined) clause.set(stemmed.stem, { ...stemmed, count: 1 });
    else asked.count += 1;
  }
  for (const [at, word] of words.entries()) {
    // "full text" and "fulltext", "play list" and "playlist": people and tools write such words both ways.
    const joined = at === 0 ? undefined : stem(`${words[at - 1]}${word}`);
    if (joined !== undefined && isIndexed(joined.stem) && !clause.has(joined.stem))
      clause.set(joined.stem, { ...joined, count: 1 });
  }
  return clause;
}
