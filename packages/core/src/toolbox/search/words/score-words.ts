import type { Clause } from "../ranking/read-query.ts";
import { grown } from "./pair-lists.ts";
import { rarity, type WeighTerm, worthInName } from "./term-weights.ts";
import type { WordIndex } from "./word-index.ts";

/** An indexed term that stands for a word of the query. */
export interface Variant {
  readonly term: number;
  readonly weight: number;
  readonly how: "same" | "synonym" | "typo";
}

export interface WordScores {
  /** By row; a tool without any word of the query has 0. Valid until the next call. */
  readonly scores: Float32Array;
  /** By row: the fraction of the score that came from the tool's server. */
  readonly fromServer: Float32Array;
  /** The score of an ideal tool, whose name consists of the query's words. */
  readonly ideal: number;
}

/** Limits the effect of repeating a word in the query: each repetition adds less. */
const REPEAT_SATURATION = 1.5;
const SERVER_SHARE = 0.35;

export type ScoreWords = (clauses: readonly Clause[], variantsOf: VariantsOf) => WordScores;
export type VariantsOf = (stem: string, clause: Clause) => readonly Variant[];

export function createWordScorer(index: WordIndex, weigh: WeighTerm): ScoreWords {
  let best = new Float32Array(0);
  let hits = new Int32Array(0);
  let clauseScores = new Float32Array(0);
  let scores = new Float32Array(0);
  let fromServer = new Float32Array(0);
  let serverBest = new Float32Array(0);
  let serverHits = new Int32Array(0);
  let serverScores = new Float32Array(0);

  function makeRoom(): void {
    const rows = index.rowCount();
    best = grown(best, rows);
    hits = grown(hits, rows);
    clauseScores = grown(clauseScores, rows);
    scores = grown(scores, rows);
    fromServer = grown(fromServer, rows);
    const servers = index.servers().length;
    serverBest = grown(serverBest, servers);
    serverHits = grown(serverHits, servers);
    serverScores = grown(serverScores, servers);
  }

  /** Only the best variant of a word counts, not the sum: a tool with three synonyms is no better. */
  function addWord(variants: readonly Variant[], repeats: number): void {
    const factor = (repeats * (REPEAT_SATURATION + 1)) / (repeats + REPEAT_SATURATION);
    let hitCount = 0;
    let serverHitCount = 0;
    for (const { term, weight } of variants) {
      const weights = weigh(term);
      hitCount = keepBest(weights.rows, weights.worths, weight, best, hits, hitCount);
      serverHitCount = keepBest(weights.servers, weights.serverWorths, weight, serverBest, serverHits, serverHitCount);
    }
    addHits(hits, hitCount, best, factor, clauseScores);
    addHits(serverHits, serverHitCount, serverBest, factor, serverScores);
  }

  function scoreClause(clause: Clause, variantsOf: VariantsOf): number {
    let ideal = 0;
    for (const [stem, { count }] of clause) {
      const variants = variantsOf(stem, clause);
      addWord(variants, count);
      const [first] = variants;
      const having = first?.how === "same" ? weigh(first.term).rows.length : 0;
      ideal += worthInName(rarity(index.toolCount(), having));
    }
    return ideal;
  }

  return (clauses, variantsOf) => {
    makeRoom();
    const rows = index.rowCount();
    scores.fill(0, 0, rows);
    fromServer.fill(0, 0, rows);
    let ideal = 0;
    for (const clause of clauses) {
      clauseScores.fill(0, 0, rows);
      serverScores.fill(0, 0, index.servers().length);
      // Squares let a tool that fits one clause well win over one that fits all clauses half.
      ideal += scoreClause(clause, variantsOf) ** 2;
      for (let row = 0; row < rows; row += 1) {
        const own = clauseScores[row] ?? 0;
        if (own === 0) continue;
        const server = SERVER_SHARE * (serverScores[index.serverOf(row)] ?? 0);
        scores[row] = (scores[row] ?? 0) + (own + server) ** 2;
        fromServer[row] = (fromServer[row] ?? 0) + server / (own + server) / clauses.length;
      }
    }
    for (let row = 0; row < rows; row += 1) scores[row] = Math.sqrt(scores[row] ?? 0);
    return { scores, fromServer, ideal: Math.sqrt(ideal) };
  };
}

function keepBest(
  places: Int32Array,
  worths: Float32Array,
  weight: number,
  best: Float32Array,
  hits: Int32Array,
  hitCount: number,
): number {
  let count = hitCount;
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] ?? 0;
    const worth = weight * (worths[at] ?? 0);
    const before = best[place] ?? 0;
    if (before === 0) {
      hits[count] = place;
      count += 1;
    }
    if (worth > before) best[place] = worth;
  }
  return count;
}

function addHits(hits: Int32Array, hitCount: number, best: Float32Array, factor: number, scores: Float32Array): void {
  for (let at = 0; at < hitCount; at += 1) {
    const place = hits[at] ?? 0;
    scores[place] = (scores[place] ?? 0) + factor * (best[place] ?? 0);
    best[place] = 0;
  }
}
