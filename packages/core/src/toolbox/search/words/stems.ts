import { stemOf } from "./porter-stemmer.ts";

const MOST_REMEMBERED = 8_192;
const ENGLISH = /^[a-z]+$/;

export interface Stemmed {
  readonly stem: string;
  /** The word itself. */
  readonly face: string;
}

/** The stem of any word, remembered: catalogs say the same words again and again. */
export function createStems(): (word: string) => Stemmed {
  const remembered = new Map<string, Stemmed>();
  return (word) => {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    // A part of a long text keeps all of it in memory; a copy does not.
    const face = Array.from(word).join("");
    const stemmed = { stem: ENGLISH.test(face) ? stemOf(face) : face, face };
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(face, stemmed);
    return stemmed;
  };
}
