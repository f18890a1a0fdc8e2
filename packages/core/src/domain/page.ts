/** A part of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The `after` of the next page; absent at the end of the list. */
  readonly next?: string;
}

/** Makes a page from a query for `limit + 1` items: the extra item shows that there are more. */
export function toPage<T>(found: readonly T[], limit: number, cursorOf: (item: T) => string): Page<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last !== undefined ? { items, next: cursorOf(last) } : { items };
}
