import type { Stemmed } from "./stems.ts";
import type { WordIndex } from "./word-index.ts";

/** Shorter words have too many similar words. */
const SHORTEST = 5;
/** Stemming may have removed one letter. */
const MIN_STEM_LENGTH = SHORTEST - 1;
const MAX_REMEMBERED = 2_000;
/** Letters of any script: in languages that are not stemmed, a different ending looks like a typo. */
const LETTERS = /^\p{L}+$/u;

export interface NearWords {
  /** The terms that are one typo away from a word no tool contains: a letter added, missing, wrong or swapped. */
  of(word: Stemmed): readonly number[];
}

/** Compares only terms with the same first letter and a similar length; the first letter is rarely wrong. */
export function createNearWords(index: WordIndex): NearWords {
  let buckets = new Map<string, number[]>();
  let nextTerm = 0;
  let generation = index.generation();
  let version = index.version();
  const found = new Map<string, readonly number[]>();

  function fillBuckets(): void {
    if (generation !== index.generation()) {
      buckets = new Map();
      nextTerm = 0;
      generation = index.generation();
    }
    for (; nextTerm < index.termCount(); nextTerm += 1) {
      const stem = index.stemOf(nextTerm);
      if (stem.length < MIN_STEM_LENGTH - 1 || !LETTERS.test(stem)) continue;
      const key = bucketKey(stem, stem.length);
      const bucket = buckets.get(key);
      if (bucket === undefined) buckets.set(key, [nextTerm]);
      else bucket.push(nextTerm);
    }
  }

  return {
    of({ stem, surface }) {
      if (surface.length < SHORTEST || stem.length < MIN_STEM_LENGTH || !LETTERS.test(stem)) return [];
      if (version !== index.version() || found.size > MAX_REMEMBERED) found.clear();
      version = index.version();
      const known = found.get(stem) ?? findNear(stem);
      found.set(stem, known);
      return known;
    },
  };

  function findNear(stem: string): readonly number[] {
    fillBuckets();
    return [stem.length - 1, stem.length, stem.length + 1].flatMap((length) =>
      (buckets.get(bucketKey(stem, length)) ?? []).filter((term) => isOneTypoAway(stem, index.stemOf(term))),
    );
  }
}

function bucketKey(stem: string, length: number): string {
  return `${stem[0]}${length}`;
}

/** Expects two different words whose lengths differ by at most one. */
export function isOneTypoAway(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  if (a.length < b.length) return a.slice(start) === b.slice(start + 1);
  if (a.length > b.length) return a.slice(start + 1) === b.slice(start);
  if (a.slice(start + 1) === b.slice(start + 1)) return true;
  return a[start] === b[start + 1] && a[start + 1] === b[start] && a.slice(start + 2) === b.slice(start + 2);
}
