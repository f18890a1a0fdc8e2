import type { MatchedWord } from "../../../domain/selection.ts";
import type { Variant, VariantsOf } from "../words/score-words.ts";
import { rarity } from "../words/term-weights.ts";
import { countIn, type WordIndex } from "../words/word-index.ts";
import type { Clause } from "./read-query.ts";
import { FIELDS } from "./tool-fields.ts";

const MAX_WORDS = 6;

export type ExplainWords = (row: number) => readonly MatchedWord[];

/** Explains which words of the query a tool contains, and in which fields. */
export function explainWords(clauses: readonly Clause[], variantsOf: VariantsOf, index: WordIndex): ExplainWords {
  const asked = new Map<number, { readonly surface: string; readonly variant: Variant }>();
  for (const clause of clauses)
    for (const [stem, { surface }] of clause)
      for (const variant of variantsOf(stem, clause)) {
        const known = asked.get(variant.term);
        if (known === undefined || known.variant.weight < variant.weight) asked.set(variant.term, { surface, variant });
      }

  return (row) => {
    const words = new Map<string, Found>();
    const contents = index.contents();
    const start = contents.startOf(row);
    for (let at = start; at < start + contents.lengthOf(row) * 2; at += 2) {
      const wordNumber = contents.block()[at] ?? 0;
      const term = index.termOfWord(wordNumber);
      const match = asked.get(term);
      if (match === undefined) continue;
      const { surface, variant } = match;
      const known = words.get(surface);
      if (known !== undefined && known.weight >= variant.weight) continue;
      const packed = contents.block()[at + 1] ?? 0;
      const fields = FIELDS.filter((_, field) => countIn(packed, field) > 0);
      const word = { asked: surface, found: index.wordOf(wordNumber), how: variant.how, fields };
      words.set(surface, { word, weight: variant.weight, specificity: variant.weight * rarityOf(term) });
    }
    return [...words.values()]
      .sort((a, b) => b.specificity - a.specificity)
      .slice(0, MAX_WORDS)
      .map(({ word }) => word);
  };

  function rarityOf(term: number): number {
    const having = index.postings().lengthOf(term);
    return rarity(Math.max(index.toolCount(), having), having);
  }
}

interface Found {
  readonly word: MatchedWord;
  readonly weight: number;
  readonly specificity: number;
}
