import { grown } from "../words/pair-lists.ts";
import type { WordScores } from "../words/score-words.ts";
import type { WordIndex } from "../words/word-index.ts";

/** The weight of meaning relative to words. */
const MEANING_SHARE = 0.6;
/** The least meaning score for a tool that contains none of the words. */
const MIN_MEANING = 0.4;

export interface Fused {
  /** By row; 0 means no match. Valid until the next search. */
  readonly scores: Float32Array;
  readonly meaning: Float32Array | undefined;
  /** How much of the query a tool answers, 0 to 1. */
  confidence(row: number): number;
}

/**
 * Combines words and meaning by their scores, each relative to its best. Ranks are not used: the weaker of two rankings
 * would drag the stronger one down.
 */
export function createFusion(index: WordIndex): (words: WordScores, meaning: Float32Array | undefined) => Fused {
  let fused = new Float32Array(0);
  return ({ scores, ideal }, meaning) => {
    const ofWords = (row: number) => (ideal === 0 ? 0 : (scores[row] ?? 0) / ideal);
    if (meaning === undefined) return { scores, meaning, confidence: (row) => Math.min(1, ofWords(row)) };
    const rows = index.rowCount();
    fused = grown(fused, rows);
    const mostWords = largest(scores, rows);
    const mostMeaning = largest(meaning, rows);
    for (let row = 0; row < rows; row += 1) {
      const word = scores[row] ?? 0;
      const near = meaning[row] ?? 0;
      const isMatch = word > 0 || near >= MIN_MEANING;
      fused[row] = isMatch ? word / mostWords + (MEANING_SHARE * near) / mostMeaning : 0;
    }
    return { scores: fused, meaning, confidence: (row) => Math.min(1, Math.max(ofWords(row), meaning[row] ?? 0)) };
  };
}

/** The largest number, or 1 if that would be 0, so that it can be divided by. */
function largest(numbers: Float32Array, count: number): number {
  let most = 0;
  for (let at = 0; at < count; at += 1) most = Math.max(most, numbers[at] ?? 0);
  return most === 0 ? 1 : most;
}
