let lastMs = Number.NaN;
let lastText = "";

/** ISO 8601 in UTC. Many calls begin or end in the same millisecond, and writing a date out costs more than comparing one. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
