export function addTo(target: Float32Array, source: Float32Array, factor: number): void {
  for (let at = 0; at < target.length; at += 1) target[at] = (target[at] ?? 0) + factor * (source[at] ?? 0);
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/**
 * The dot product with the bytes from `start` on. A separate function: one for both kinds of array is twice as slow.
 */
export function dotBytes(bytes: Int8Array, start: number, vector: Float32Array): number {
  // Four independent sums, so that an addition does not have to wait for the one before.
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let at = 0; at < vector.length; at += 4) {
    first += (bytes[start + at] ?? 0) * (vector[at] ?? 0);
    second += (bytes[start + at + 1] ?? 0) * (vector[at + 1] ?? 0);
    third += (bytes[start + at + 2] ?? 0) * (vector[at + 2] ?? 0);
    fourth += (bytes[start + at + 3] ?? 0) * (vector[at + 3] ?? 0);
  }
  return first + second + third + fourth;
}

/** Scales the vector to length 1. Returns false if its length is 0. */
export function normalise(vector: Float32Array): boolean {
  const length = Math.sqrt(dot(vector, vector));
  if (length === 0) return false;
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] ?? 0) / length;
  return true;
}
