import { StoreError } from "@tacklebox/core";

/** Where a value is kept, for people who have to repair it. */
export interface Place {
  /** Such as `The session "a"`. */
  readonly what: string;
  readonly table: string;
}

/**
 * Text that rows are found by, escaped as in JSON. SQLite ends a text at its first NUL and takes every half of a
 * character for the same one; escaped, two keys never become one.
 */
export function toKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** SQLite takes a negative limit for "all" and refuses Infinity, which means "all" to everyone else. */
export function toLimit(limit: number): number {
  return Math.min(Math.max(0, limit), Number.MAX_SAFE_INTEGER);
}

/** Throws StoreError `damaged-row` when the text is not what was once written there. */
export function parseStored<T>(text: string, isValue: (value: unknown) => value is T, place: () => Place): T {
  const value = parseJson(text, place);
  if (!isValue(value)) throw damaged(place());
  return value;
}

export function isOptional<T>(value: unknown, isValue: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || isValue(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isListOf<T>(value: unknown, isValue: (value: unknown) => value is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isValue);
}

function parseJson(text: string, place: () => Place): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(place(), error);
  }
}

function damaged({ what, table }: Place, cause?: unknown): StoreError {
  return new StoreError(
    "damaged-row",
    `${what} cannot be read: its row is damaged. ` +
      `Restore the file from a copy, or remove that row from the table ${table}.`,
    cause,
  );
}
