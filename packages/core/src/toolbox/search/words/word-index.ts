import { plainName } from "../ranking/plain-name.ts";
import { FIELDS, wordsOfTool } from "../ranking/tool-fields.ts";
import type { SearchableTool } from "../tool-search.ts";
import { createPairLists, grown, type PairLists } from "./pair-lists.ts";
import type { Stemmed } from "./stems.ts";

/** Counts of a term in the fields of a tool are packed into one number, six bits per field. */
const COUNT_BITS = 6;
const MAX_COUNTED = (1 << COUNT_BITS) - 1;
/** With fewer rows, cleaning up the rows of removed tools is not worthwhile. */
const FEW_ROWS = 256;

/**
 * Counts how often each tool contains each word. A tool has a row, and a word's stem is a term; rows, words and terms
 * are numbered in the order they were added. Rows of removed tools stay until they are the majority; then everything is
 * renumbered.
 */
export interface WordIndex {
  set(id: string, tool: SearchableTool): void;
  remove(id: string): void;
  /** The number of tools; `rowCount` also counts the rows of removed tools. */
  toolCount(): number;
  rowCount(): number;
  idOf(row: number): string | undefined;
  serverOf(row: number): number;
  servers(): readonly IndexedServer[];
  lengthOf(row: number, field: number): number;
  /** The number of words in a field, over all tools. */
  totalLength(field: number): number;
  /** The rows of the tools with this plain name. */
  rowsNamed(plain: string): readonly number[];
  termOf(stem: string): number | undefined;
  termCount(): number;
  stemOf(term: number): string;
  wordOf(word: number): string;
  termOfWord(word: number): number;
  /** By term: row and packed counts. */
  postings(): PairLists;
  /** By row: word and packed counts. */
  contents(): PairLists;
  /** Changes with every change of the index. */
  version(): number;
  /** Changes when everything is renumbered: numbers that other code keeps are invalid then. */
  generation(): number;
}

export interface IndexedServer {
  readonly name: string;
  tools: number;
  nameWords: number;
  descriptionWords: number;
}

interface Rows {
  readonly ids: (string | undefined)[];
  readonly rowOf: Map<string, number>;
  readonly names: string[];
  /** Includes the rows of removed tools. */
  readonly rowsByName: Map<string, number[]>;
  servers: Int32Array<ArrayBuffer>;
  lengths: Uint16Array<ArrayBuffer>;
  readonly contents: PairLists;
  readonly postings: PairLists;
  readonly terms: Map<string, number>;
  readonly stems: string[];
  readonly wordNumbers: Map<string, number>;
  readonly words: string[];
  readonly termsOfWords: number[];
  readonly serverNumbers: Map<string, number>;
  readonly serverList: IndexedServer[];
  readonly totals: number[];
}

const NAME = FIELDS.indexOf("name");
const DESCRIPTION = FIELDS.indexOf("description");

export function countIn(packed: number, field: number): number {
  return (packed >> (field * COUNT_BITS)) & MAX_COUNTED;
}

/** Adds packed counts field by field, each up to the largest count that fits. */
function addCounts(a: number, b: number): number {
  let sum = 0;
  for (const field of FIELDS.keys())
    sum |= Math.min(MAX_COUNTED, countIn(a, field) + countIn(b, field)) << (field * COUNT_BITS);
  return sum;
}

export function createWordIndex(stem: (word: string) => Stemmed): WordIndex {
  let rows = emptyRows();
  let version = 0;
  let generation = 0;

  function remove(id: string): void {
    const row = rows.rowOf.get(id);
    if (row === undefined) return;
    version += 1;
    rows.rowOf.delete(id);
    rows.ids[row] = undefined;
    addToTotals(rows, row, -1);
    if (rows.ids.length > FEW_ROWS && rows.ids.length > rows.rowOf.size * 2) {
      rows = renumbered(rows);
      generation += 1;
    }
  }

  return {
    set(id, tool) {
      remove(id);
      version += 1;
      const words = wordsOfTool(tool);
      const counts = new Map<number, number>();
      for (const [field, list] of words.entries()) {
        for (const word of list) {
          const number = rows.wordNumbers.get(word) ?? addWord(rows, stem(word));
          counts.set(number, addCounts(counts.get(number) ?? 0, 1 << (field * COUNT_BITS)));
        }
      }
      const lengths = words.map(({ length }) => length);
      addRow(rows, { id, name: plainName(tool.name), server: tool.server, lengths, counts });
    },
    remove,
    toolCount: () => rows.rowOf.size,
    rowCount: () => rows.ids.length,
    idOf: (row) => rows.ids[row],
    serverOf: (row) => rows.servers[row] ?? 0,
    servers: () => rows.serverList,
    lengthOf: (row, field) => rows.lengths[row * FIELDS.length + field] ?? 0,
    totalLength: (field) => rows.totals[field] ?? 0,
    rowsNamed: (plain) => (rows.rowsByName.get(plain) ?? []).filter((row) => rows.ids[row] !== undefined),
    termOf: (text) => rows.terms.get(text),
    termCount: () => rows.stems.length,
    stemOf: (term) => rows.stems[term] ?? "",
    wordOf: (word) => rows.words[word] ?? "",
    termOfWord: (word) => rows.termsOfWords[word] ?? 0,
    postings: () => rows.postings,
    contents: () => rows.contents,
    version: () => version,
    generation: () => generation,
  };
}

function emptyRows(): Rows {
  return {
    ids: [],
    rowOf: new Map(),
    names: [],
    rowsByName: new Map(),
    servers: new Int32Array(FEW_ROWS),
    lengths: new Uint16Array(FEW_ROWS * FIELDS.length),
    contents: createPairLists(),
    postings: createPairLists(),
    terms: new Map(),
    stems: [],
    wordNumbers: new Map(),
    words: [],
    termsOfWords: [],
    serverNumbers: new Map(),
    serverList: [],
    totals: FIELDS.map(() => 0),
  };
}

interface Row {
  readonly id: string;
  /** The plain name. */
  readonly name: string;
  readonly server: string;
  readonly lengths: readonly number[];
  /** Packed counts by word. */
  readonly counts: ReadonlyMap<number, number>;
}

function addRow(rows: Rows, { id, name, server, lengths, counts }: Row): void {
  const row = rows.ids.length;
  rows.ids.push(id);
  rows.rowOf.set(id, row);
  rows.names.push(name);
  const namesakes = rows.rowsByName.get(name);
  if (namesakes !== undefined) namesakes.push(row);
  else if (name !== "") rows.rowsByName.set(name, [row]);
  rows.servers = grown(rows.servers, row + 1);
  rows.servers[row] = toServer(rows, server);
  rows.lengths = grown(rows.lengths, (row + 1) * FIELDS.length);
  rows.lengths.set(lengths, row * FIELDS.length);
  const byTerm = new Map<number, number>();
  for (const [word, packed] of counts) {
    rows.contents.append(row, word, packed);
    const term = rows.termsOfWords[word] ?? 0;
    byTerm.set(term, addCounts(byTerm.get(term) ?? 0, packed));
  }
  for (const [term, packed] of byTerm) rows.postings.append(term, row, packed);
  addToTotals(rows, row, 1);
}

/** Adds a row to the totals, or subtracts it. */
function addToTotals(rows: Rows, row: number, sign: 1 | -1): void {
  const lengthOf = (field: number) => sign * (rows.lengths[row * FIELDS.length + field] ?? 0);
  for (const field of FIELDS.keys()) rows.totals[field] = (rows.totals[field] ?? 0) + lengthOf(field);
  const server = rows.serverList[rows.servers[row] ?? 0];
  if (server === undefined) return;
  server.tools += sign;
  server.nameWords += lengthOf(NAME);
  server.descriptionWords += lengthOf(DESCRIPTION);
}

function addWord(rows: Rows, { stem, surface }: Stemmed): number {
  const word = rows.words.length;
  rows.wordNumbers.set(surface, word);
  rows.words.push(surface);
  rows.termsOfWords.push(toTerm(rows, stem));
  return word;
}

function toTerm(rows: Rows, stem: string): number {
  const known = rows.terms.get(stem);
  if (known !== undefined) return known;
  rows.terms.set(stem, rows.stems.length);
  rows.stems.push(stem);
  return rows.stems.length - 1;
}

function toServer(rows: Rows, name: string): number {
  const known = rows.serverNumbers.get(name);
  if (known !== undefined) return known;
  rows.serverNumbers.set(name, rows.serverList.length);
  rows.serverList.push({ name, tools: 0, nameWords: 0, descriptionWords: 0 });
  return rows.serverList.length - 1;
}

function renumbered(old: Rows): Rows {
  const rows = emptyRows();
  for (const [row, id] of old.ids.entries()) {
    if (id === undefined) continue;
    const counts = new Map<number, number>();
    const block = old.contents.block();
    const start = old.contents.startOf(row);
    for (let at = start; at < start + old.contents.lengthOf(row) * 2; at += 2) {
      const word = block[at] ?? 0;
      const surface = old.words[word] ?? "";
      const stem = old.stems[old.termsOfWords[word] ?? 0] ?? "";
      counts.set(rows.wordNumbers.get(surface) ?? addWord(rows, { stem, surface }), block[at + 1] ?? 0);
    }
    const lengths = [...old.lengths.subarray(row * FIELDS.length, (row + 1) * FIELDS.length)];
    const server = old.serverList[old.servers[row] ?? 0]?.name ?? "";
    addRow(rows, { id, name: old.names[row] ?? "", server, lengths, counts });
  }
  return rows;
}
