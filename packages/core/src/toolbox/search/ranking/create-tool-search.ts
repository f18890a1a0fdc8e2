import type { SearchOptions, ToolMatch, ToolSearch } from "../tool-search.ts";
import { createToolVectors } from "../vectors/tool-vectors.ts";
import { createVariantFinder } from "../words/find-variants.ts";
import { createNearWords } from "../words/near-words.ts";
import { createWordScorer } from "../words/score-words.ts";
import { createStems } from "../words/stems.ts";
import { createTermWeigher } from "../words/term-weights.ts";
import { createWordIndex } from "../words/word-index.ts";
import { explainWords } from "./explain-match.ts";
import { findNamed } from "./find-named.ts";
import { createFusion, type Fused } from "./fuse-scores.ts";
import { readQuery } from "./read-query.ts";
import { createTopRows, type RankedRow } from "./top-rows.ts";

export function createToolSearch(): ToolSearch {
  const stem = createStems();
  const index = createWordIndex(stem);
  const scoreWords = createWordScorer(index, createTermWeigher(index));
  const variantsOf = createVariantFinder(index, createNearWords(index));
  const vectors = createToolVectors(index);
  const fuse = createFusion(index);

  function search(query: string, { limit, among }: SearchOptions): readonly ToolMatch[] {
    if (limit < 1) return [];
    const named = findNamed(query, index);
    const clauses = readQuery(query, { stem, isIndexed: (one) => index.termOf(one) !== undefined });
    const words = scoreWords(clauses, variantsOf);
    const fused = fuse(words, vectors.score(clauses));
    const ranked = rank(fused, named, { limit, ...(among !== undefined && { among }) });
    const explain = explainWords(clauses, variantsOf, index);
    const toMatch = (row: number, score: number): ToolMatch => ({
      id: index.idOf(row) ?? "",
      score,
      why: {
        named: named.has(row),
        words: explain(row),
        server: words.fromServer[row] ?? 0,
        meaning: fused.meaning?.[row] ?? 0,
      },
    });
    const [best] = ranked.others;
    const scale = best === undefined ? 0 : fused.confidence(best.row) / best.score;
    return [
      ...ranked.named.map(({ row }) => toMatch(row, 1)),
      ...ranked.others.map(({ row, score }) => toMatch(row, scale * score)),
    ].slice(0, limit);
  }

  function rank({ scores }: Fused, named: ReadonlySet<number>, { limit, among }: SearchOptions): Ranked {
    const first = createTopRows(limit);
    const others = createTopRows(limit);
    for (let row = 0; row < index.rowCount(); row += 1) {
      const score = scores[row] ?? 0;
      const top = named.has(row) ? first : others;
      if ((score === 0 && top === others) || !top.wants(score)) continue;
      const id = index.idOf(row);
      if (id !== undefined && (among === undefined || among(id))) top.offer(row, score);
    }
    return { named: first.take(), others: others.take() };
  }

  return { set: index.set, remove: index.remove, search, useVectors: vectors.use };
}

interface Ranked {
  /** Tools that the query names; they come before all others. */
  readonly named: readonly RankedRow[];
  readonly others: readonly RankedRow[];
}
