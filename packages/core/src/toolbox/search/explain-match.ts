import type { MatchedWord } from "../../domain/selection.ts";
import type { Clause } from "./read-query.ts";
import { FIELDS } from "./tool-fields.ts";
import type { Variant, VariantsOf } from "./words/score-words.ts";
import { rarity } from "./words/term-weights.ts";
import { countIn, type WordIndex } from "./words/word-index.ts";

const MOST_WORDS = 6;

export type ExplainWords = (row: number) => readonly MatchedWord[];

/** Says which asked words a tool has, and where. */
export function explainWords(clauses: readonly Clause[], variantsOf: VariantsOf, index: WordIndex): ExplainWords {
  const asked = new Map<number, { readonly face: string; readonly variant: Variant }>();
  for (const clause of clauses)
    for (const [stem, { face }] of clause)
      for (const variant of variantsOf(stem, clause)) {
        const known = asked.get(variant.term);
        if (known === undefined || known.variant.weight < variant.weight) asked.set(variant.term, { face, variant });
      }

  return (row) => {
    const words = new Map<string, Found>();
    const contents = index.contents();
    const start = contents.startOf(row);
    for (let at = start; at < start + contents.lengthOf(row) * 2; at += 2) {
      const said = contents.block()[at] ?? 0;
      const term = index.termOfWord(said);
      const match = asked.get(term);
      if (match === undefined) continue;
      const { face, variant } = match;
      const known = words.get(face);
      if (known !== undefined && known.weight >= variant.weight) continue;
      const packed = contents.block()[at + 1] ?? 0;
      const fields = FIELDS.filter((_, field) => countIn(packed, field) > 0);
      const word = { asked: face, found: index.wordOf(said), how: variant.how, fields };
      words.set(face, { word, weight: variant.weight, telling: variant.weight * rarityOf(term) });
    }
    return [...words.values()]
      .sort((a, b) => b.telling - a.telling)
      .slice(0, MOST_WORDS)
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
  readonly telling: number;
}
