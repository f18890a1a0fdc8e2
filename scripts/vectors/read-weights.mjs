// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {{ readonly name: string, readonly shape: readonly number[], readonly dtype: string, readonly quantization?: { readonly scale: number, readonly min: number } }} Entry */

/**
 * Reads the weights of a TensorFlow.js graph model and dequantises those that are quantised.
 *
 * @param {string} folder
 * @returns {Map<string, Float32Array>} by name
 */
export function readWeights(folder) {
  const [{ weights, paths }] = JSON.parse(readFileSync(join(folder, "model.json"), "utf8")).weightsManifest;
  const bytes = Buffer.concat(paths.map((/** @type {string} */ path) => readFileSync(join(folder, path))));
  const found = new Map();
  let at = 0;
  for (const { name, shape, dtype, quantization } of /** @type {Entry[]} */ (weights)) {
    const count = shape.reduce((product, size) => product * size, 1);
    if (quantization !== undefined) {
      const { scale, min } = quantization;
      found.set(
        name,
        Float32Array.from(bytes.subarray(at, at + count), (code) => code * scale + min),
      );
      at += count;
      continue;
    }
    if (dtype === "float32") {
      const own = new Uint8Array(bytes.subarray(at, at + count * 4));
      found.set(name, new Float32Array(own.buffer));
    }
    at += count * 4;
  }
  return found;
}
