/** Ours begin with the time in milliseconds, which takes this many characters. */
const TIME_LENGTH = 13;
const TIME_ORDERED = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/** As much of each id as tells it from the others, for a table; a command takes the beginning of an id for the whole. */
export function shortenIds(ids: readonly string[]): readonly string[] {
  const known = new Set(ids);
  for (let length = TIME_LENGTH; ; length += 1) {
    const short = ids.map((id) => (TIME_ORDERED.test(id) ? id.slice(0, length) : id));
    if (length >= 36 || new Set(short).size === known.size) return short;
  }
}
