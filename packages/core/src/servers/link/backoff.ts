const FIRST_MS = 500;
const MAX_MS = 60_000;

/** Full jitter: anything up to a bound that doubles with every failure, so that clients do not all retry at once. */
export function backoffMs(failures: number, random: () => number): number {
  const bound = Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(bound * random());
}
