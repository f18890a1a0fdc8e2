import { textWidth } from "../../output/text-width.ts";

/** Rows at the bottom of the screen that are redrawn in place. Each fits on one line of the terminal. */
export interface LiveRows {
  readonly rows: readonly string[];
  /** The cursor position; absent means the end of the last row. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

export const NOTHING: LiveRows = { rows: [] };

const ERASE_BELOW = "\u001b[J";

export function joinRows(above: LiveRows, below: LiveRows): LiveRows {
  const { cursor } = below;
  const moved = cursor === undefined ? above.cursor : { ...cursor, row: cursor.row + above.rows.length };
  return { rows: [...above.rows, ...below.rows], ...(moved !== undefined && { cursor: moved }) };
}

export function keepLast({ rows, cursor }: LiveRows, most: number): LiveRows {
  const extra = Math.max(0, rows.length - most);
  if (cursor === undefined) return { rows: rows.slice(extra) };
  return { rows: rows.slice(extra), cursor: { ...cursor, row: Math.max(0, cursor.row - extra) } };
}

export function draw({ rows, cursor }: LiveRows): string {
  const text = rows.join("\n");
  if (cursor === undefined) return text;
  return `${text}\r${up(rows.length - 1 - cursor.row)}${right(cursor.column)}`;
}

/** Moves to the start of the rows and erases them. They may have been wrapped, if the terminal was made narrower. */
export function toStart({ rows, cursor }: LiveRows, columns: number): string {
  if (rows.length === 0) return "";
  const { row, column } = cursor ?? endOf(rows);
  const above = rows.slice(0, row).reduce((sum, text) => sum + folds(visibleWidth(text), columns), 0);
  return `\r${up(above + Math.floor(column / columns))}${ERASE_BELOW}`;
}

/** Returns the text to append where that suffices to get from `before` to `after`; otherwise undefined. */
export function addedAtEnd(before: LiveRows, after: LiveRows): string | undefined {
  const last = before.rows.length - 1;
  if (last < 0 || after.rows.length !== before.rows.length) return undefined;
  if (!isAtEnd(before) || !isAtEnd(after)) return undefined;
  if (before.rows.slice(0, last).some((row, index) => row !== after.rows[index])) return undefined;
  const [old = "", next = ""] = [before.rows[last], after.rows[last]];
  return next.startsWith(old) ? next.slice(old.length) : undefined;
}

function isAtEnd({ rows, cursor }: LiveRows): boolean {
  const end = endOf(rows);
  return cursor === undefined || (cursor.row === end.row && cursor.column === end.column);
}

function endOf(rows: readonly string[]): { readonly row: number; readonly column: number } {
  return { row: rows.length - 1, column: visibleWidth(rows.at(-1) ?? "") };
}

/** Ignores our own colours, the only escape sequences a row contains. */
function visibleWidth(row: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  return textWidth(row.replace(/\u001b\[\d+m/g, ""));
}

function folds(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}

function right(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : "";
}
