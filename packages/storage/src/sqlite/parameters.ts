/**
 * Escapes a key as in JSON. SQLite cuts a text at its first NUL and treats all lone surrogates as equal; escaped, two
 * distinct keys stay distinct.
 */
export function toKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Clamps a limit: SQLite takes a negative one for "all", and refuses Infinity, which callers use for "all". */
export function toLimit(limit: number): number {
  return Math.min(Math.max(0, limit), Number.MAX_SAFE_INTEGER);
}
