/**
 * Escapes a key as in JSON. SQLite cuts a text at its first NUL and treats all lone surrogates as equal; escaped, two
 * distinct keys stay distinct.
 */
export function toKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The first text after all that begin with the prefix, as SQLite compares texts, so that an index finds those. */
export function endOfPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}

/** Clamps a limit: SQLite takes a negative one for "all", and refuses Infinity, which callers use for "all". */
export function toLimit(limit: number): number {
  return Math.min(Math.max(0, limit), Number.MAX_SAFE_INTEGER);
}
