import type { Clause } from "../ranking/read-query.ts";
import type { NearWords } from "./near-words.ts";
import type { Variant, VariantsOf } from "./score-words.ts";
import { synonymsOf } from "./synonyms.ts";
import type { WordIndex } from "./word-index.ts";

const SYNONYM_WEIGHT = 0.4;
const TYPO_WEIGHT = 0.6;
const NONE: ReadonlySet<string> = new Set();

/** Finds the indexed terms for a word of the query: the word itself, its synonyms, or corrections of a typo. */
export function createVariantFinder(index: WordIndex, near: NearWords): VariantsOf {
  return (stem, clause) => {
    const variants: Variant[] = [];
    const term = index.termOf(stem);
    if (term !== undefined) variants.push({ term, weight: 1, how: "same" });
    addSynonyms(stem, clause, variants);
    const asked = clause.get(stem);
    if (variants.length > 0 || asked === undefined) return variants;
    return near.of(asked).map((neighbour) => ({ term: neighbour, weight: TYPO_WEIGHT, how: "typo" }));
  };

  /** Skips synonyms that the query contains itself, because they count on their own. */
  function addSynonyms(stem: string, clause: Clause, variants: Variant[]): void {
    for (const synonym of synonymsOf(stem) ?? NONE) {
      const term = clause.has(synonym) ? undefined : index.termOf(synonym);
      if (term !== undefined) variants.push({ term, weight: SYNONYM_WEIGHT, how: "synonym" });
    }
  }
}
