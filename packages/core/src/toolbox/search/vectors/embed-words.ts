import type { Clause } from "../read-query.ts";
import { FIELDS } from "../tool-fields.ts";
import { rarity } from "../words/term-weights.ts";
import { countIn, type WordIndex } from "../words/word-index.ts";
import type { StaticVectors } from "./static-vectors.ts";
import { addTo, normalise } from "./vector-arithmetic.ts";

/** How much of a tool's meaning is in each field, in the order of FIELDS. Names are short, and some mean nothing. */
const FIELD_SHARES = [0.7, 0.5, 1, 0.4, 0.3];
const SERVER = FIELDS.indexOf("server");
/** A word no tool says may be what it is all about, or a name, or small talk. */
const UNSAID_WEIGHT = 0.5;

/** The meaning of a tool as a unit vector, all zero when no word of it is known. */
export function embedTool(index: WordIndex, row: number, vectors: StaticVectors): Float32Array {
  const meaning = new Float32Array(vectors.dimensions);
  const contents = index.contents();
  const block = contents.block();
  const start = contents.startOf(row);
  const end = start + contents.lengthOf(row) * 2;
  for (const [field, share] of FIELD_SHARES.entries()) {
    // What all tools have says nothing about any.
    if (field === SERVER && index.servers().length < 2) continue;
    const sum = new Float32Array(vectors.dimensions);
    for (let at = start; at < end; at += 2) {
      const count = countIn(block[at + 1] ?? 0, field);
      const word = block[at] ?? 0;
      if (count > 0) vectors.add(index.wordOf(word), count * telling(index, index.termOfWord(word)), sum);
    }
    if (normalise(sum)) addTo(meaning, sum, share);
  }
  normalise(meaning);
  return meaning;
}

/** The meaning of clauses without what all tools have in common; undefined when no word of them is known. */
export function embedClauses(
  clauses: readonly Clause[],
  index: WordIndex,
  vectors: StaticVectors,
  mean: Float32Array,
): Float32Array | undefined {
  const sum = new Float32Array(vectors.dimensions);
  for (const clause of clauses)
    for (const [stem, { face, count }] of clause) {
      const term = index.termOf(stem);
      vectors.add(face, count * (term === undefined ? UNSAID_WEIGHT : telling(index, term)), sum);
    }
  if (!normalise(sum)) return undefined;
  addTo(sum, mean, -1);
  return normalise(sum) ? sum : undefined;
}

/** From 0 for a word every tool says to 1 for a word of one tool. */
function telling(index: WordIndex, term: number): number {
  const tools = index.toolCount();
  const having = Math.min(tools, index.postings().lengthOf(term));
  return Math.sqrt(rarity(tools, having) / rarity(tools, Math.min(1, tools)));
}
