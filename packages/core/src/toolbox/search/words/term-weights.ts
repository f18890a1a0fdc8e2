import { FIELDS } from "../ranking/tool-fields.ts";
import { countIn, type WordIndex } from "./word-index.ts";

/** The score of one term for each tool and each server that contains it. */
export interface TermWeights {
  readonly rows: Int32Array;
  readonly worths: Float32Array;
  readonly servers: Int32Array;
  readonly serverWorths: Float32Array;
}

/** BM25F: counts are first weighted by field and length, and saturate together. In the order of FIELDS. */
const FIELD_WEIGHTS = [3.4, 1.5, 1, 0.55, 0.7];
const FIELD_LENGTH_EFFECTS = [0.45, 0.45, 0.75, 0.5, 0.55];
const SATURATION = 1.6;

/** A server is described by its name and by all its tools' names and descriptions. */
const SERVER_NAME_WEIGHT = 3;
const TOOL_NAMES = { weight: 1, lengthEffect: 0.5 };
const DESCRIPTIONS = { weight: 0.2, lengthEffect: 0.75 };
const SERVER_SATURATION = 1.2;

const NAME = FIELDS.indexOf("name");
const SERVER = FIELDS.indexOf("server");
const DESCRIPTION = FIELDS.indexOf("description");

/** The inverse document frequency of a term that `having` of `all` documents contain. */
export function rarity(all: number, having: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** The score of a term that is a tool's whole name, which is about the highest a term can have. */
export function worthInName(idf: number): number {
  const weight = FIELD_WEIGHTS[NAME] ?? 0;
  return saturated(weight, SATURATION) * idf;
}

function saturated(count: number, saturation: number): number {
  return (count * (saturation + 1)) / (count + saturation);
}

export type WeighTerm = (term: number) => TermWeights;

/** Scores depend on the whole catalog, so they are computed when a term is first used and cached until a change. */
export function createTermWeigher(index: WordIndex): WeighTerm {
  let known = new Map<number, TermWeights>();
  let version = index.version();
  return (term) => {
    if (version !== index.version()) {
      known = new Map();
      version = index.version();
    }
    const found = known.get(term);
    if (found !== undefined) return found;
    const weights = weigh(index, term);
    known.set(term, weights);
    return weights;
  };
}

function weigh(index: WordIndex, term: number): TermWeights {
  const postings = index.postings();
  const block = postings.block();
  const start = postings.startOf(term);
  const end = start + postings.lengthOf(term) * 2;
  const rows = new Int32Array((end - start) / 2);
  const worths = new Float32Array(rows.length);
  const scales = FIELDS.map((_, field) => lengthScale(index, field));
  const servers = new Map<number, ServerCounts>();
  let used = 0;
  for (let at = start; at < end; at += 2) {
    const row = block[at] ?? 0;
    if (index.idOf(row) === undefined) continue;
    const packed = block[at + 1] ?? 0;
    rows[used] = row;
    worths[used] = saturated(weightedCount(index, row, packed, scales), SATURATION);
    used += 1;
    addToServer(servers, index.serverOf(row), packed);
  }
  const idf = rarity(index.toolCount(), used);
  for (let at = 0; at < used; at += 1) worths[at] = (worths[at] ?? 0) * idf;
  return { rows: rows.subarray(0, used), worths: worths.subarray(0, used), ...weighServers(index, servers) };
}

/** How much each word of a field's length adds to the divisor of its counts. */
function lengthScale(index: WordIndex, field: number): number {
  const average = index.totalLength(field) / index.toolCount();
  return average === 0 ? 0 : (FIELD_LENGTH_EFFECTS[field] ?? 0) / average;
}

function weightedCount(index: WordIndex, row: number, packed: number, scales: readonly number[]): number {
  let sum = 0;
  for (let field = 0; field < scales.length; field += 1) {
    const count = countIn(packed, field);
    if (count === 0) continue;
    const divisor = 1 - (FIELD_LENGTH_EFFECTS[field] ?? 0) + (scales[field] ?? 0) * index.lengthOf(row, field);
    sum += ((FIELD_WEIGHTS[field] ?? 0) * count) / divisor;
  }
  return sum;
}

interface ServerCounts {
  name: number;
  toolNames: number;
  descriptions: number;
}

function addToServer(servers: Map<number, ServerCounts>, server: number, packed: number): void {
  const counts = servers.get(server) ?? { name: 0, toolNames: 0, descriptions: 0 };
  servers.set(server, counts);
  counts.name = countIn(packed, SERVER);
  counts.toolNames += countIn(packed, NAME);
  counts.descriptions += countIn(packed, DESCRIPTION);
}

function weighServers(
  index: WordIndex,
  counts: ReadonlyMap<number, ServerCounts>,
): Pick<TermWeights, "servers" | "serverWorths"> {
  const all = index.servers().filter(({ tools }) => tools > 0);
  const containing = [...counts].filter(([, { name, toolNames, descriptions }]) => name + toolNames + descriptions > 0);
  // With one server there is nothing to choose between.
  if (all.length < 2 || containing.length === 0)
    return { servers: new Int32Array(0), serverWorths: new Float32Array(0) };
  const averageNames = index.totalLength(NAME) / all.length;
  const averageDescriptions = index.totalLength(DESCRIPTION) / all.length;
  const idf = rarity(all.length, containing.length);
  const servers = new Int32Array(containing.length);
  const serverWorths = new Float32Array(containing.length);
  for (const [at, [server, { name, toolNames, descriptions }]] of containing.entries()) {
    const { nameWords = 0, descriptionWords = 0 } = index.servers()[server] ?? {};
    const count =
      SERVER_NAME_WEIGHT * name +
      TOOL_NAMES.weight * normalisedByLength(toolNames, TOOL_NAMES.lengthEffect, nameWords, averageNames) +
      DESCRIPTIONS.weight *
        normalisedByLength(descriptions, DESCRIPTIONS.lengthEffect, descriptionWords, averageDescriptions);
    servers[at] = server;
    serverWorths[at] = saturated(count, SERVER_SATURATION) * idf;
  }
  return { servers, serverWorths };
}

function normalisedByLength(count: number, lengthEffect: number, length: number, average: number): number {
  return count === 0 ? 0 : count / (1 - lengthEffect + (lengthEffect * length) / average);
}
