import { stemOf } from "../words/porter-stemmer.ts";

/** A vector per word, made beforehand: the meaning of a text is the sum over its words. */
export interface StaticVectors {
  readonly dimensions: number;
  /** Adds `weight` times the vector of a word in lower case to `sum`; nothing when neither it nor its stem is known. */
  add(word: string, weight: number, sum: Float32Array): void;
}

/** "TBV1" in the order of its bytes. */
const MAGIC = 0x31564254;
const HEADER_BYTES = 16;
/** What the middle of the sixteen steps of a number stands for. */
const ZERO_CODE = 8;

/**
 * Reads what scripts/make-vectors.mjs wrote: magic, count of words, dimensions and bytes of the word list as 32-bit
 * numbers, low byte first; the words, one a line; a scale per word as a 32-bit float; two numbers a byte per vector.
 * Undefined when the bytes are anything else.
 */
export function parseStaticVectors(bytes: Uint8Array): StaticVectors | undefined {
  if (bytes.byteLength < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(4, true);
  const dimensions = view.getUint32(8, true);
  const wordBytes = view.getUint32(12, true);
  const scalesAt = HEADER_BYTES + wordBytes;
  const codesAt = scalesAt + count * 4;
  if (view.getUint32(0, true) !== MAGIC || dimensions % 2 !== 0) return undefined;
  if (bytes.byteLength !== codesAt + (count * dimensions) / 2) return undefined;

  const words = new TextDecoder().decode(bytes.subarray(HEADER_BYTES, scalesAt)).split("\n");
  if (words.length !== count) return undefined;
  const placeOf = toPlaces(words);
  return {
    dimensions,
    add(word, weight, sum) {
      const place = placeOf.get(word) ?? placeOf.get(stemOf(word));
      if (place === undefined) return;
      const scale = weight * view.getFloat32(scalesAt + place * 4, true);
      const start = codesAt + (place * dimensions) / 2;
      for (let at = 0; at < dimensions; at += 2) {
        const pair = bytes[start + at / 2] ?? 0;
        sum[at] = (sum[at] ?? 0) + scale * ((pair & 15) - ZERO_CODE);
        sum[at + 1] = (sum[at + 1] ?? 0) + scale * ((pair >> 4) - ZERO_CODE);
      }
    },
  };
}

/** A stem that is no word itself stands where the first of its words does. */
function toPlaces(words: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map(words.map((word, place) => [word, place]));
  for (const [place, word] of words.entries()) {
    const stem = stemOf(word);
    if (!places.has(stem)) places.set(stem, place);
  }
  return places;
}
