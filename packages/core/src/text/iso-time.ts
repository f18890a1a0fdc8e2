let lastMs = Number.NaN;
let lastText = "";

/** ISO 8601 in UTC. Caches the last text: many calls start or end in the same millisecond, and formatting a date is slow. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
