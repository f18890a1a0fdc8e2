import { stemOf } from "./porter-stemmer.ts";

const MAX_REMEMBERED = 8_192;
const ENGLISH = /^[a-z]+$/;

export interface Stemmed {
  readonly stem: string;
  /** The word as written, in lower case. */
  readonly surface: string;
}

/** Returns a function that stems words, with a cache: tools use the same words again and again. */
export function createStems(): (word: string) => Stemmed {
  const remembered = new Map<string, Stemmed>();
  return (word) => {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    // A substring keeps the whole text it came from in memory; a copy does not.
    const surface = Array.from(word).join("");
    const stemmed = { stem: ENGLISH.test(surface) ? stemOf(surface) : surface, surface };
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(surface, stemmed);
    return stemmed;
  };
}
