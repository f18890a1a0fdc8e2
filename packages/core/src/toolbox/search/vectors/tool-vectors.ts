import type { Clause } from "../read-query.ts";
import { grown } from "../words/pair-lists.ts";
import type { WordIndex } from "../words/word-index.ts";
import { embedClauses, embedTool } from "./embed-words.ts";
import type { StaticVectors } from "./static-vectors.ts";
import { addTo, dot, dotBytes, normalise } from "./vector-arithmetic.ts";

/** Numbers of a unit vector are kept as whole steps of a byte; hardly any is above a half. */
const STEPS = 254;
/** How much it counts that a tool's server is about what is asked for. */
const SERVER_SHARE = 0.5;
/** Of a request with more clauses, neighbours are taken together: each costs a look at every tool. */
const MOST_CLAUSES = 12;
/** What tells is measured against the whole catalog; when that has changed by a quarter, everything is measured again. */
const MUCH_CHANGED = 0.25;

export interface ToolVectors {
  use(vectors: StaticVectors): void;
  /** By row: how near the meaning of the clauses is, 0 to 1. Undefined without vectors. Valid until the next call. */
  score(clauses: readonly Clause[]): Float32Array | undefined;
}

/** The meaning of every tool as a vector, kept beside the index and caught up with it before a search. */
export function createToolVectors(index: WordIndex): ToolVectors {
  let vectors: StaticVectors | undefined;
  let matrix = new Int8Array(0);
  let embedded = 0;
  let measuredAt = 0;
  let mean = new Float32Array(0);
  /** By row: the length of what is left of the vector without the mean. */
  let lengths = new Float32Array(0);
  let serverVectors: readonly Float32Array[] = [];
  let serverNearness = new Float32Array(0);
  let nearness = new Float32Array(0);
  let version = -1;
  let generation = 0;

  function catchUp(known: StaticVectors): void {
    if (version === index.version()) return;
    const tools = index.toolCount();
    if (generation !== index.generation() || Math.abs(tools - measuredAt) > measuredAt * MUCH_CHANGED) {
      embedded = 0;
      measuredAt = tools;
    }
    generation = index.generation();
    version = index.version();
    const rows = index.rowCount();
    matrix = grown(matrix, rows * known.dimensions);
    lengths = grown(lengths, rows);
    nearness = grown(nearness, rows);
    for (; embedded < rows; embedded += 1) keep(embedTool(index, embedded, known), embedded * known.dimensions);
    sumUp(known.dimensions);
    const meanSquare = dot(mean, mean);
    for (let row = 0; row < rows; row += 1)
      lengths[row] = Math.sqrt(Math.max(0, 1 - 2 * product(row, mean) + meanSquare));
  }

  /** The mean of all tools, and the direction in which each server's tools lie from it. */
  function sumUp(dimensions: number): void {
    mean = new Float32Array(dimensions);
    const sums = index.servers().map(() => new Float32Array(dimensions));
    for (let row = 0; row < index.rowCount(); row += 1) {
      const sum = index.idOf(row) === undefined ? undefined : sums[index.serverOf(row)];
      if (sum === undefined) continue;
      for (let at = 0; at < dimensions; at += 1)
        sum[at] = (sum[at] ?? 0) + (matrix[row * dimensions + at] ?? 0) / STEPS;
    }
    for (const sum of sums) addTo(mean, sum, 1 / Math.max(1, index.toolCount()));
    for (const [server, { tools }] of index.servers().entries()) {
      const sum = sums[server];
      if (sum === undefined) continue;
      addTo(sum, mean, -tools);
      normalise(sum);
    }
    serverVectors = sums;
    serverNearness = grown(serverNearness, sums.length);
  }

  function product(row: number, vector: Float32Array): number {
    return dotBytes(matrix, row * vector.length, vector) / STEPS;
  }

  function keep(vector: Float32Array, start: number): void {
    for (let at = 0; at < vector.length; at += 1)
      matrix[start + at] = Math.max(-127, Math.min(127, Math.round((vector[at] ?? 0) * STEPS)));
  }

  function addClause(wanted: Float32Array): void {
    const meanPart = dot(mean, wanted);
    const several = serverVectors.length > 1;
    for (const [server, vector] of serverVectors.entries())
      serverNearness[server] = several ? SERVER_SHARE * Math.max(0, dot(vector, wanted)) : 0;
    for (let row = 0; row < index.rowCount(); row += 1) {
      const cosine = (product(row, wanted) - meanPart) / (lengths[row] || 1);
      if (cosine <= 0) continue;
      const near = cosine + (serverNearness[index.serverOf(row)] ?? 0);
      const square = near * near;
      // The fourth power: meaning is vague, so nearly the best clause alone counts.
      nearness[row] = (nearness[row] ?? 0) + square * square;
    }
  }

  return {
    use(given) {
      vectors = given;
      matrix = new Int8Array(0);
      embedded = 0;
      measuredAt = 0;
      version = -1;
      catchUp(given);
    },
    score(clauses) {
      if (vectors === undefined) return undefined;
      catchUp(vectors);
      const rows = index.rowCount();
      nearness.fill(0, 0, rows);
      const groups = together(clauses, MOST_CLAUSES);
      for (const group of groups) {
        const wanted = embedClauses(group, index, vectors, mean);
        if (wanted !== undefined) addClause(wanted);
      }
      const scale = 1 / (1 + (serverVectors.length > 1 ? SERVER_SHARE : 0));
      const share = 1 / Math.max(1, groups.length);
      for (let row = 0; row < rows; row += 1)
        nearness[row] = scale * Math.sqrt(Math.sqrt(share * (nearness[row] ?? 0)));
      return nearness;
    },
  };
}

function together<T>(items: readonly T[], most: number): readonly (readonly T[])[] {
  const size = Math.ceil(items.length / most);
  return Array.from({ length: Math.ceil(items.length / (size || 1)) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
