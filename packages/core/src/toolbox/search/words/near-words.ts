import type { Stemmed } from "./stems.ts";
import type { WordIndex } from "./word-index.ts";

/** Shorter words have too many neighbours. */
const SHORTEST = 5;
/** An ending may have been taken off. */
const SHORTEST_STEM = SHORTEST - 1;
const MOST_REMEMBERED = 2_000;
/** Of any script: where no endings are taken off, a slip is often one. */
const LETTERS = /^\p{L}+$/u;

export interface NearWords {
  /** The terms one slip of the keyboard away from a word that no tool says: a letter more, less, wrong or swapped. */
  of(word: Stemmed): readonly number[];
}

/** Looks only among terms of the same first letter and about the same length; the first letter is rarely wrong. */
export function createNearWords(index: WordIndex): NearWords {
  let shelves = new Map<string, number[]>();
  let shelved = 0;
  let generation = index.generation();
  let version = index.version();
  const found = new Map<string, readonly number[]>();

  function shelveTerms(): void {
    if (generation !== index.generation()) {
      shelves = new Map();
      shelved = 0;
      generation = index.generation();
    }
    for (; shelved < index.termCount(); shelved += 1) {
      const stem = index.stemOf(shelved);
      if (stem.length < SHORTEST_STEM - 1 || !LETTERS.test(stem)) continue;
      const key = shelfKey(stem, stem.length);
      const shelf = shelves.get(key);
      if (shelf === undefined) shelves.set(key, [shelved]);
      else shelf.push(shelved);
    }
  }

  return {
    of({ stem, face }) {
      if (face.length < SHORTEST || stem.length < SHORTEST_STEM || !LETTERS.test(stem)) return [];
      if (version !== index.version() || found.size > MOST_REMEMBERED) found.clear();
      version = index.version();
      const known = found.get(stem) ?? look(stem);
      found.set(stem, known);
      return known;
    },
  };

  function look(stem: string): readonly number[] {
    shelveTerms();
    return [stem.length - 1, stem.length, stem.length + 1].flatMap((length) =>
      (shelves.get(shelfKey(stem, length)) ?? []).filter((term) => isOneSlipAway(stem, index.stemOf(term))),
    );
  }
}

function shelfKey(stem: string, length: number): string {
  return `${stem[0]}${length}`;
}

/** For two different words whose lengths differ by one at most. */
export function isOneSlipAway(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  if (a.length < b.length) return a.slice(start) === b.slice(start + 1);
  if (a.length > b.length) return a.slice(start + 1) === b.slice(start);
  if (a.slice(start + 1) === b.slice(start + 1)) return true;
  return a[start] === b[start + 1] && a[start + 1] === b[start] && a.slice(start + 2) === b.slice(start + 2);
}
