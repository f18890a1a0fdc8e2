// @ts-check

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * Returns the value below which this share of the values lies, interpolating between neighbours.
 *
 * @param {readonly number[]} values
 * @param {number} share from 0 to 1
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error("There is no median of nothing.");
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * Divides round by round, because whatever slows a round on a busy machine slows both sides of it.
 *
 * @param {readonly number[]} ours
 * @param {readonly number[]} reference of the same rounds
 */
export function ratios(ours, reference) {
  return pair(ours, reference, (mine, theirs) => mine / theirs);
}

/**
 * @template T
 * @param {readonly number[]} ours
 * @param {readonly number[]} reference
 * @param {(ours: number, reference: number) => T} join
 */
export function pair(ours, reference, join) {
  if (ours.length !== reference.length) {
    throw new Error(`${ours.length} rounds cannot be paired with ${reference.length}.`);
  }
  return reference.map((theirs, round) => join(ours[round] ?? Number.NaN, theirs));
}

/**
 * @typedef {object} Target
 * @property {"at most" | "at least" | "below"} is
 * @property {number} bound
 * @property {number} [aim] a stricter value we would like to reach
 */

/**
 * Every round must agree: rounds on both sides of the bound prove nothing. The aim is compared with the median.
 *
 * @param {readonly number[]} values one per round
 * @param {Target} target
 * @returns {"aim met" | "met" | "missed" | "unclear"}
 */
export function verdict(values, { is, bound, aim }) {
  const holds = (/** @type {number} */ value, /** @type {number} */ limit) =>
    is === "at least" ? value >= limit : is === "below" ? value < limit : value <= limit;
  const passed = values.filter((value) => holds(value, bound)).length;
  if (passed > 0 && passed < values.length) return "unclear";
  if (passed === 0) return "missed";
  return aim !== undefined && holds(median(values), aim) ? "aim met" : "met";
}
