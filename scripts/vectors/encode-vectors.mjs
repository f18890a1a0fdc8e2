// @ts-check
// Writes the format that parseStaticVectors in packages/core reads.

const MAGIC = 0x31564254;
const HEADER_BYTES = 16;
const LOWEST = -8;
const HIGHEST = 7;

/**
 * @param {readonly string[]} words
 * @param {Float64Array} vectors
 * @param {number} dimensions
 */
export function encodeVectors(words, vectors, dimensions) {
  const list = Buffer.from(words.join("\n"));
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [at, value] of [MAGIC, words.length, dimensions, list.length].entries())
    header.writeUInt32LE(value, at * 4);
  const scales = Buffer.alloc(words.length * 4);
  const codes = Buffer.alloc((words.length * dimensions) / 2);
  for (let place = 0; place < words.length; place += 1) {
    const vector = vectors.subarray(place * dimensions, (place + 1) * dimensions);
    const scale = bestScale(vector);
    scales.writeFloatLE(scale, place * 4);
    for (let at = 0; at < dimensions; at += 2)
      codes[(place * dimensions + at) / 2] =
        (toStep(vector[at] ?? 0, scale) - LOWEST) | ((toStep(vector[at + 1] ?? 0, scale) - LOWEST) << 4);
  }
  return Buffer.concat([header, list, scales, codes]);
}

/**
 * Finds the scale with the least error: clipping the few largest numbers often costs less than coarse steps for all.
 *
 * @param {Float64Array} vector
 */
function bestScale(vector) {
  const largest = Math.max(...vector.map(Math.abs));
  let best = { scale: largest / HIGHEST, loss: Number.POSITIVE_INFINITY };
  for (let part = 0.4; part <= 1.05; part += 0.05) {
    const scale = (largest * part) / (HIGHEST + 0.5);
    const loss = vector.reduce((sum, value) => sum + (value - toStep(value, scale) * scale) ** 2, 0);
    if (loss < best.loss) best = { scale, loss };
  }
  return best.scale;
}

/**
 * @param {number} value
 * @param {number} scale
 */
function toStep(value, scale) {
  return Math.max(LOWEST, Math.min(HIGHEST, Math.round(value / scale)));
}
