// @ts-check
// The forward pass of all-MiniLM-L6-v2, a six-layer BERT, in plain arithmetic.

export const DIMENSIONS = 384;
const LAYERS = 6;
const HEADS = 12;
const HEAD_DIMENSIONS = DIMENSIONS / HEADS;
const INNER_DIMENSIONS = 1536;
const TINY = 1e-12;
const ROOT = "StatefulPartitionedCall/model/tf_bert_model/bert";

/**
 * @param {ReadonlyMap<string, Float32Array>} weights
 * @returns {(sentences: readonly (readonly number[])[]) => Float32Array} maps sentences with equal numbers of tokens to
 * unit vectors
 */
export function createSentenceModel(weights) {
  const embeddings = { token: need("unknown"), position: need("unknown_0"), type: need("unknown_1") };
  const embeddingNorm = norm(`${ROOT}/embeddings/LayerNorm`);
  const layers = Array.from({ length: LAYERS }, (_, layer) => {
    const place = `${ROOT}/encoder/layer_._${layer}`;
    return {
      query: linear(`${place}/attention/self/query`, DIMENSIONS, DIMENSIONS),
      key: linear(`${place}/attention/self/key`, DIMENSIONS, DIMENSIONS),
      value: linear(`${place}/attention/self/value`, DIMENSIONS, DIMENSIONS),
      attended: linear(`${place}/attention/output/dense`, DIMENSIONS, DIMENSIONS),
      attendedNorm: norm(`${place}/attention/output/LayerNorm`),
      inner: linear(`${place}/intermediate/dense`, DIMENSIONS, INNER_DIMENSIONS),
      outer: linear(`${place}/output/dense`, INNER_DIMENSIONS, DIMENSIONS),
      outerNorm: norm(`${place}/output/LayerNorm`),
    };
  });

  return (sentences) => {
    const length = sentences[0]?.length ?? 0;
    let states = embeddingNorm(embedTokens(sentences, embeddings));
    for (const layer of layers) {
      const context = attend(layer.query(states), layer.key(states), layer.value(states), length);
      states = layer.attendedNorm(plus(layer.attended(context), states));
      states = layer.outerNorm(plus(layer.outer(gelu(layer.inner(states))), states));
    }
    return toUnitMeans(states, sentences.length, length);
  };

  /** @param {string} name */
  function need(name) {
    const found = weights.get(name);
    if (found === undefined) throw new Error(`The model has no weights '${name}'.`);
    return found;
  }

  /** @param {string} place */
  function norm(place) {
    const scale = need(`${place}/batchnorm/mul/ReadVariableOp`);
    const shift = need(`${place}/batchnorm/ReadVariableOp`);
    return (/** @type {Float32Array} */ rows) => normaliseRows(rows, scale, shift);
  }

  /**
   * @param {string} place
   * @param {number} inputs
   * @param {number} outputs
   */
  function linear(place, inputs, outputs) {
    const matrix = transposed(need(`${place}/Tensordot/ReadVariableOp`), inputs, outputs);
    const bias = need(`${place}/BiasAdd/ReadVariableOp`);
    return (/** @type {Float32Array} */ rows) => multiply(rows, matrix, bias, inputs, outputs);
  }
}

/**
 * @param {readonly (readonly number[])[]} sentences
 * @param {{ token: Float32Array, position: Float32Array, type: Float32Array }} embeddings
 */
function embedTokens(sentences, { token, position, type }) {
  const rows = sentences.flatMap((tokens) => tokens.map((id, place) => ({ id, place })));
  const states = new Float32Array(rows.length * DIMENSIONS);
  for (const [row, { id, place }] of rows.entries())
    for (let at = 0; at < DIMENSIONS; at += 1)
      states[row * DIMENSIONS + at] =
        (token[id * DIMENSIONS + at] ?? 0) + (position[place * DIMENSIONS + at] ?? 0) + (type[at] ?? 0);
  return states;
}

/**
 * @param {Float32Array} queries
 * @param {Float32Array} keys
 * @param {Float32Array} values
 * @param {number} length of each sentence
 */
function attend(queries, keys, values, length) {
  const context = new Float32Array(queries.length);
  const shares = new Float64Array(length);
  for (let row = 0; row < queries.length / DIMENSIONS; row += 1) {
    const first = row - (row % length);
    for (let head = 0; head < DIMENSIONS; head += HEAD_DIMENSIONS) {
      let sum = 0;
      for (let other = 0; other < length; other += 1) {
        let product = 0;
        for (let at = head; at < head + HEAD_DIMENSIONS; at += 1)
          product += (queries[row * DIMENSIONS + at] ?? 0) * (keys[(first + other) * DIMENSIONS + at] ?? 0);
        shares[other] = Math.exp(product / Math.sqrt(HEAD_DIMENSIONS));
        sum += shares[other] ?? 0;
      }
      for (let at = head; at < head + HEAD_DIMENSIONS; at += 1) {
        let mixed = 0;
        for (let other = 0; other < length; other += 1)
          mixed += (shares[other] ?? 0) * (values[(first + other) * DIMENSIONS + at] ?? 0);
        context[row * DIMENSIONS + at] = mixed / sum;
      }
    }
  }
  return context;
}

/**
 * @param {Float32Array} a
 * @param {Float32Array} b
 */
function plus(a, b) {
  return a.map((value, at) => value + (b[at] ?? 0));
}

/**
 * @param {Float32Array} rows
 * @param {Float32Array} scale
 * @param {Float32Array} shift
 */
function normaliseRows(rows, scale, shift) {
  const result = new Float32Array(rows.length);
  for (let start = 0; start < rows.length; start += DIMENSIONS) {
    const row = rows.subarray(start, start + DIMENSIONS);
    const mean = row.reduce((sum, value) => sum + value, 0) / DIMENSIONS;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / DIMENSIONS;
    const factor = 1 / Math.sqrt(variance + TINY);
    for (let at = 0; at < DIMENSIONS; at += 1)
      result[start + at] = ((row[at] ?? 0) - mean) * factor * (scale[at] ?? 0) + (shift[at] ?? 0);
  }
  return result;
}

/** @param {Float32Array} values */
function gelu(values) {
  return values.map((value) => 0.5 * value * (1 + errorFunction(value / Math.SQRT2)));
}

/**
 * Accurate to seven digits: formula 7.1.26 of Abramowitz and Stegun.
 *
 * @param {number} x
 */
function errorFunction(x) {
  const size = Math.abs(x);
  const t = 1 / (1 + 0.3275911 * size);
  const series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - series * Math.exp(-size * size));
}

/**
 * @param {Float32Array} matrix
 * @param {number} rows
 * @param {number} columns
 */
function transposed(matrix, rows, columns) {
  const result = new Float32Array(matrix.length);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      result[column * rows + row] = matrix[row * columns + column] ?? 0;
  return result;
}

/**
 * Computes four outputs at a time, so that the inputs are read once for all four.
 *
 * @param {Float32Array} rows
 * @param {Float32Array} matrix one row per output
 * @param {Float32Array} bias
 * @param {number} inputs
 * @param {number} outputs
 */
function multiply(rows, matrix, bias, inputs, outputs) {
  const count = rows.length / inputs;
  const result = new Float32Array(count * outputs);
  for (let output = 0; output < outputs; output += 4) {
    const a = output * inputs;
    const b = a + inputs;
    const c = b + inputs;
    const d = c + inputs;
    for (let row = 0; row < count; row += 1) {
      const start = row * inputs;
      let [first, second, third, fourth] = [0, 0, 0, 0];
      for (let at = 0; at < inputs; at += 1) {
        const value = rows[start + at] ?? 0;
        first += value * (matrix[a + at] ?? 0);
        second += value * (matrix[b + at] ?? 0);
        third += value * (matrix[c + at] ?? 0);
        fourth += value * (matrix[d + at] ?? 0);
      }
      const target = row * outputs + output;
      result[target] = first + (bias[output] ?? 0);
      result[target + 1] = second + (bias[output + 1] ?? 0);
      result[target + 2] = third + (bias[output + 2] ?? 0);
      result[target + 3] = fourth + (bias[output + 3] ?? 0);
    }
  }
  return result;
}

/**
 * @param {Float32Array} states
 * @param {number} sentences
 * @param {number} length
 */
function toUnitMeans(states, sentences, length) {
  const means = new Float32Array(sentences * DIMENSIONS);
  for (let sentence = 0; sentence < sentences; sentence += 1) {
    const mean = means.subarray(sentence * DIMENSIONS, (sentence + 1) * DIMENSIONS);
    for (let row = sentence * length; row < (sentence + 1) * length; row += 1)
      for (let at = 0; at < DIMENSIONS; at += 1) mean[at] = (mean[at] ?? 0) + (states[row * DIMENSIONS + at] ?? 0);
    const size = Math.hypot(...mean);
    for (let at = 0; at < DIMENSIONS; at += 1) mean[at] = (mean[at] ?? 0) / size;
  }
  return means;
}
