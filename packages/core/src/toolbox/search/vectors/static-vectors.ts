import { stemOf } from "../words/porter-stemmer.ts";

/** Precomputed word vectors: the meaning of a text is the sum of the vectors of its words. */
export interface StaticVectors {
  readonly dimensions: number;
  /** Adds `weight` times the vector of a lower-case word to `sum`; adds nothing if neither it nor its stem is known. */
  add(word: string, weight: number, sum: Float32Array): void;
}

/** "TBV1" read as a little-endian number. */
const MAGIC = 0x31564254;
const HEADER_BYTES = 16;
/** The 4-bit code that stands for zero. */
const ZERO_CODE = 8;

/**
 * Parses the file that scripts/make-vectors.mjs writes: a magic number, the number of words, the dimensions and the
 * byte length of the word list as little-endian 32-bit integers; the words, one per line; a 32-bit float scale per
 * word; the vectors, two 4-bit numbers per byte. Returns undefined if the bytes are anything else.
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
  const positionOf = toPositions(words);
  return {
    dimensions,
    add(word, weight, sum) {
      const position = positionOf.get(word) ?? positionOf.get(stemOf(word));
      if (position === undefined) return;
      const scale = weight * view.getFloat32(scalesAt + position * 4, true);
      const start = codesAt + (position * dimensions) / 2;
      for (let at = 0; at < dimensions; at += 2) {
        const pair = bytes[start + at / 2] ?? 0;
        sum[at] = (sum[at] ?? 0) + scale * ((pair & 15) - ZERO_CODE);
        sum[at + 1] = (sum[at + 1] ?? 0) + scale * ((pair >> 4) - ZERO_CODE);
      }
    },
  };
}

/** Maps words to their positions; a stem that is not a word itself gets the position of its first word. */
function toPositions(words: readonly string[]): ReadonlyMap<string, number> {
  const positions = new Map(words.map((word, position) => [word, position]));
  for (const [position, word] of words.entries()) {
    const stem = stemOf(word);
    if (!positions.has(stem)) positions.set(stem, position);
  }
  return positions;
}
