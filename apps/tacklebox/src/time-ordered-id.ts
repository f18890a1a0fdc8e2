/**
 * A version 7 UUID: the time in milliseconds, then random bits. Ascending ids land side by side in the call log's
 * index, so that a commit writes a few pages of it instead of one for every call.
 */
export function createTimeOrderedId(now: number, randomId: string): string {
  if (now !== lastMs) {
    lastMs = now;
    const time = now.toString(16).padStart(12, "0");
    lastStart = `${time.slice(0, 8)}-${time.slice(8, 12)}-7`;
  }
  return lastStart + randomId.slice("00000000-0000-0".length);
}

/** Cached, because many calls begin in the same millisecond. */
let lastMs = Number.NaN;
let lastStart = "";
