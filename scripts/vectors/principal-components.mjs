// @ts-check
const MAX_SWEEPS = 30;
const TINY = 1e-22;

/**
 * Subtracts the mean from the rows and projects them onto the directions in which they differ most.
 *
 * @param {Float64Array} rows
 * @param {number} width of a row
 * @param {number} kept how many directions to keep
 * @returns {Float64Array}
 */
export function principalComponents(rows, width, kept) {
  const count = rows.length / width;
  const mean = new Float64Array(width);
  for (let at = 0; at < rows.length; at += 1) mean[at % width] = (mean[at % width] ?? 0) + (rows[at] ?? 0) / count;
  const centred = rows.map((value, at) => value - (mean[at % width] ?? 0));
  const directions = eigenvectors(covariance(centred, width), width).slice(0, kept);
  const result = new Float64Array(count * kept);
  for (let row = 0; row < count; row += 1)
    for (const [place, direction] of directions.entries()) {
      let sum = 0;
      for (let at = 0; at < width; at += 1) sum += (centred[row * width + at] ?? 0) * (direction[at] ?? 0);
      result[row * kept + place] = sum;
    }
  return result;
}

/**
 * @param {Float64Array} rows
 * @param {number} width
 */
function covariance(rows, width) {
  const matrix = new Float64Array(width * width);
  for (let start = 0; start < rows.length; start += width)
    for (let a = 0; a < width; a += 1) {
      const value = rows[start + a] ?? 0;
      for (let b = a; b < width; b += 1)
        matrix[a * width + b] = (matrix[a * width + b] ?? 0) + value * (rows[start + b] ?? 0);
    }
  for (let a = 0; a < width; a += 1) for (let b = 0; b < a; b += 1) matrix[a * width + b] = matrix[b * width + a] ?? 0;
  return matrix;
}

/**
 * Finds the eigenvectors of a symmetric matrix by Jacobi rotations, ordered from the largest eigenvalue.
 *
 * @param {Float64Array} matrix
 * @param {number} width
 * @returns {Float64Array[]}
 */
function eigenvectors(matrix, width) {
  const vectors = Array.from({ length: width }, (_, at) => Float64Array.from({ length: width }, (_, b) => +(at === b)));
  const total = matrix.reduce((sum, value) => sum + value * value, 0);
  for (let sweep = 0; sweep < MAX_SWEEPS && offDiagonal(matrix, width) > TINY * total; sweep += 1)
    for (let p = 0; p < width; p += 1) for (let q = p + 1; q < width; q += 1) rotate(matrix, width, vectors, p, q);
  const value = (/** @type {number} */ at) => matrix[at * width + at] ?? 0;
  return vectors
    .map((vector, at) => ({ vector, value: value(at) }))
    .sort((a, b) => b.value - a.value)
    .map(({ vector }) => vector);
}

/**
 * @param {Float64Array} matrix
 * @param {number} width
 */
function offDiagonal(matrix, width) {
  return matrix.reduce((sum, value, at) => (at % (width + 1) === 0 ? sum : sum + value * value), 0);
}

/**
 * Rotates the plane of p and q so that their off-diagonal element becomes zero.
 *
 * @param {Float64Array} matrix
 * @param {number} width
 * @param {readonly Float64Array[]} vectors
 * @param {number} p
 * @param {number} q
 */
function rotate(matrix, width, vectors, p, q) {
  const shared = matrix[p * width + q] ?? 0;
  if (shared === 0) return;
  const theta = ((matrix[q * width + q] ?? 0) - (matrix[p * width + p] ?? 0)) / (2 * shared);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const cosine = 1 / Math.hypot(tangent, 1);
  const sine = tangent * cosine;
  for (let at = 0; at < width; at += 1) turn(matrix, at * width + p, matrix, at * width + q, cosine, sine);
  for (let at = 0; at < width; at += 1) turn(matrix, p * width + at, matrix, q * width + at, cosine, sine);
  const [a, b] = [vectors[p], vectors[q]];
  if (a === undefined || b === undefined) return;
  for (let at = 0; at < width; at += 1) turn(a, at, b, at, cosine, sine);
}

/**
 * @param {Float64Array} first
 * @param {number} p
 * @param {Float64Array} second
 * @param {number} q
 * @param {number} cosine
 * @param {number} sine
 */
function turn(first, p, second, q, cosine, sine) {
  const a = first[p] ?? 0;
  const b = second[q] ?? 0;
  first[p] = cosine * a - sine * b;
  second[q] = sine * a + cosine * b;
}
