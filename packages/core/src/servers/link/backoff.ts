const FIRST_MS = 500;
const LONGEST_MS = 60_000;

/** Full jitter: anywhere between at once and a bound that doubles with every failure, so that crowds spread out. */
export function backoffMs(failures: number, random: () => number): number {
  const bound = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(bound * random());
}
