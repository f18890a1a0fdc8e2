import type { Clause } from "../ranking/read-query.ts";
import { FIELDS } from "../ranking/tool-fields.ts";
import { rarity } from "../words/term-weights.ts";
import { countIn, type WordIndex } from "../words/word-index.ts";
import type { StaticVectors } from "./static-vectors.ts";
import { addTo, normalise } from "./vector-arithmetic.ts";

/** The weight of each field in a tool's meaning, in the order of FIELDS. Names are short, and some mean nothing. */
const FIELD_SHARES = [0.7, 0.5, 1, 0.4, 0.3];
const SERVER = FIELDS.indexOf("server");
/** The weight of a query word that no tool contains: it may be essential, or a name, or small talk. */
const UNKNOWN_WORD_WEIGHT = 0.5;

/** The meaning of a tool as a unit vector; all zeros if none of its words is known. */
export function embedTool(index: WordIndex, row: number, vectors: StaticVectors): Float32Array {
  const meaning = new Float32Array(vectors.dimensions);
  const contents = index.contents();
  const block = contents.block();
  const start = contents.startOf(row);
  const end = start + contents.lengthOf(row) * 2;
  for (const [field, share] of FIELD_SHARES.entries()) {
    // With a single server, its name is common to all tools and distinguishes none.
    if (field === SERVER && index.servers().length < 2) continue;
    const sum = new Float32Array(vectors.dimensions);
    for (let at = start; at < end; at += 2) {
      const count = countIn(block[at + 1] ?? 0, field);
      const word = block[at] ?? 0;
      if (count > 0) vectors.add(index.wordOf(word), count * specificity(index, index.termOfWord(word)), sum);
    }
    if (normalise(sum)) addTo(meaning, sum, share);
  }
  normalise(meaning);
  return meaning;
}

/** The meaning of clauses, minus what all tools have in common; undefined if none of their words is known. */
export function embedClauses(
  clauses: readonly Clause[],
  index: WordIndex,
  vectors: StaticVectors,
  mean: Float32Array,
): Float32Array | undefined {
  const sum = new Float32Array(vectors.dimensions);
  for (const clause of clauses)
    for (const [stem, { surface, count }] of clause) {
      const term = index.termOf(stem);
      vectors.add(surface, count * (term === undefined ? UNKNOWN_WORD_WEIGHT : specificity(index, term)), sum);
    }
  if (!normalise(sum)) return undefined;
  addTo(sum, mean, -1);
  return normalise(sum) ? sum : undefined;
}

/** How distinctive a word is: from 0 for a word that every tool contains to 1 for a word of a single tool. */
function specificity(index: WordIndex, term: number): number {
  const tools = index.toolCount();
  const having = Math.min(tools, index.postings().lengthOf(term));
  return Math.sqrt(rarity(tools, having) / rarity(tools, Math.min(1, tools)));
}
