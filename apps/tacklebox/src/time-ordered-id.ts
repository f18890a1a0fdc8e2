import { randomFillSync } from "node:crypto";

/**
 * Returns a version 7 UUID: the time in milliseconds, then random bits. Ascending ids land side by side in the call
 * log's index, so that a commit writes a few pages of it instead of one for every call.
 */
export function newTimeOrderedId(): string {
  if (used === RANDOM_CHARACTERS) {
    random = randomFillSync(bytes).toString("hex");
    used = 0;
  }
  const id = timeOrderedId(Date.now(), random.slice(used, used + CHARACTERS_PER_ID));
  used += CHARACTERS_PER_ID;
  return id;
}

/** `hex` holds 19 random hexadecimal digits. */
export function timeOrderedId(now: number, hex: string): string {
  if (now !== lastMs) {
    lastMs = now;
    const time = now.toString(16).padStart(12, "0");
    lastStart = `${time.slice(0, 8)}-${time.slice(8, 12)}-7`;
  }
  return `${lastStart}${hex.slice(0, 3)}-${VARIANTS[hex.charCodeAt(3) & 3]}${hex.slice(4, 7)}-${hex.slice(7)}`;
}

/** Drawn for many ids at once, because asking for random bytes takes longer than anything else here. */
const CHARACTERS_PER_ID = 19;
const bytes = Buffer.alloc(CHARACTERS_PER_ID * 64);
const RANDOM_CHARACTERS = bytes.length * 2;
let random = "";
let used = RANDOM_CHARACTERS;

/** The first digit of the fourth group holds the variant and two random bits. */
const VARIANTS = ["8", "9", "a", "b"];

/** Cached, because many calls begin in the same millisecond. */
let lastMs = Number.NaN;
let lastStart = "";
