import type { Clause } from "../ranking/read-query.ts";
import { grown } from "../words/pair-lists.ts";
import type { WordIndex } from "../words/word-index.ts";
import { ByteMatrix } from "./byte-matrix.ts";
import { embedClauses, embedTool } from "./embed-words.ts";
import type { StaticVectors } from "./static-vectors.ts";
import { addTo, dot, normalise } from "./vector-arithmetic.ts";

/** The weight of how near a tool's server is to the query. */
const SERVER_SHARE = 0.5;
/** Each clause is compared with every tool, so neighbouring clauses of a longer request are merged. */
const MAX_CLAUSES = 12;
/**
 * Word weights depend on the whole catalog; when its size has changed by this fraction, all tools are embedded again.
 */
const MUCH_CHANGED = 0.25;

export interface ToolVectors {
  use(vectors: StaticVectors): void;
  /**
   * By row: how near a tool's meaning is to the clauses, 0 to 1. Undefined without vectors. Valid until the next call.
   */
  score(clauses: readonly Clause[]): Float32Array | undefined;
}

interface Directions {
  readonly mean: Float32Array<ArrayBuffer>;
  /** The direction of each server's tools. */
  readonly servers: readonly Float32Array[];
}

/** Keeps the meaning of every tool as a vector, brought up to date with the index before each search. */
export function createToolVectors(index: WordIndex): ToolVectors {
  let vectors: StaticVectors | undefined;
  let matrix = new ByteMatrix(0);
  let embedded = 0;
  let measuredAt = 0;
  let mean = new Float32Array(0);
  /** By row: the length of the tool's vector minus the mean. */
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
    matrix.reserve(rows);
    lengths = grown(lengths, rows);
    nearness = grown(nearness, rows);
    for (; embedded < rows; embedded += 1) matrix.set(embedded, embedTool(index, embedded, known));
    ({ mean, servers: serverVectors } = sumUp(index, matrix));
    serverNearness = grown(serverNearness, serverVectors.length);
    const meanSquare = dot(mean, mean);
    for (let row = 0; row < rows; row += 1)
      lengths[row] = Math.sqrt(Math.max(0, 1 - 2 * matrix.product(row, mean) + meanSquare));
  }

  function addClause(wanted: Float32Array): void {
    const meanPart = dot(mean, wanted);
    const several = serverVectors.length > 1;
    for (const [server, vector] of serverVectors.entries())
      serverNearness[server] = several ? SERVER_SHARE * Math.max(0, dot(vector, wanted)) : 0;
    for (let row = 0; row < index.rowCount(); row += 1) {
      const cosine = (matrix.product(row, wanted) - meanPart) / (lengths[row] || 1);
      if (cosine <= 0) continue;
      const near = cosine + (serverNearness[index.serverOf(row)] ?? 0);
      const square = near * near;
      // The fourth power makes the best clause count for nearly everything, because meaning is vague.
      nearness[row] = (nearness[row] ?? 0) + square * square;
    }
  }

  return {
    use(given) {
      vectors = given;
      matrix = new ByteMatrix(given.dimensions);
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
      const groups = mergeNeighbours(clauses, MAX_CLAUSES);
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

/** The mean of all tools, and the direction in which each server's tools lie from it. */
function sumUp(index: WordIndex, matrix: ByteMatrix): Directions {
  const mean = new Float32Array(matrix.dimensions);
  const sums = index.servers().map(() => new Float32Array(matrix.dimensions));
  for (let row = 0; row < index.rowCount(); row += 1) {
    const sum = index.idOf(row) === undefined ? undefined : sums[index.serverOf(row)];
    if (sum !== undefined) matrix.addRowTo(sum, row);
  }
  for (const sum of sums) addTo(mean, sum, 1 / Math.max(1, index.toolCount()));
  for (const [server, { tools }] of index.servers().entries()) {
    const sum = sums[server];
    if (sum === undefined) continue;
    addTo(sum, mean, -tools);
    normalise(sum);
  }
  return { mean, servers: sums };
}

function mergeNeighbours<T>(items: readonly T[], most: number): readonly (readonly T[])[] {
  const size = Math.ceil(items.length / most);
  return Array.from({ length: Math.ceil(items.length / (size || 1)) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
