/** A part of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** What to give as `after` for the next part; absent at the end of the list. */
  readonly next?: string;
}

/** Of something found with one more than was asked for. */
export function toPage<T>(found: readonly T[], limit: number, cursorOf: (item: T) => string): Page<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last !== undefined ? { items, next: cursorOf(last) } : { items };
}
