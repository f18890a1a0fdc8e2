import type { Sink, Terminal } from "../io.ts";
import type { Paint } from "../output/colour.ts";
import { textWidth } from "../output/text-width.ts";

/** Rows at the bottom of the screen that are redrawn in place. Each fits on one line of the terminal. */
export interface LiveRows {
  readonly rows: readonly string[];
  /** Where the person types; after the last row when absent. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** Composed for a width, and again when it changes. */
export type Compose = (columns: number) => LiveRows;

/** Who draws live rows, from the top down. */
const PARTS = ["servers", "calls", "model", "person"] as const;
export type LivePart = (typeof PARTS)[number];

/**
 * What is written stays as it was written; only the live rows below it are ever drawn again. Everything given here is
 * printed as it is: text from outside has been made safe before (T18).
 */
export interface Screen {
  readonly paint: Paint;
  columns(): number;
  /** Whole lines, above the live rows. In the middle of a streamed line they wait for its end. */
  print(lines: string): void;
  /** A piece of text that more pieces follow. The live rows are gone until `endLine`. */
  stream(piece: string): void;
  /** What follows begins on a line of its own. */
  endLine(): void;
  /** Replaces one part of the live rows; undefined removes it. Nothing is live where lines cannot be erased. */
  show(part: LivePart, compose: Compose | undefined): void;
  /** An empty screen with the live rows at its top. */
  wipe(): void;
  close(): void;
}

const ERASE_BELOW = "\u001b[J";
const EMPTY_SCREEN = "\u001b[2J\u001b[H";
const NOTHING: LiveRows = { rows: [] };

/**
 * A screen that can be drawn upon. What is written within one turn of the event loop is one write: a model that is far
 * ahead of the terminal does not cost one each for its words.
 */
export function createScreen(
  stdout: Sink,
  terminal: Terminal,
  paint: Paint,
  soon: (task: () => void) => void = setImmediate,
): Screen {
  const parts = new Map<LivePart, Compose>();
  let drawn = NOTHING;
  let isStreaming = false;
  let isMidLine = false;
  let waiting = "";
  let unwritten = "";

  function write(text: string): void {
    if (text === "") return;
    const isFirst = unwritten === "";
    unwritten += text;
    if (isFirst) soon(flush);
  }

  function flush(): void {
    const text = unwritten;
    unwritten = "";
    if (text !== "") void stdout.write(text);
  }

  /** Moves to where the live rows begin. They may have been folded by a terminal that became narrower since. */
  function toLiveStart(): string {
    if (drawn.rows.length === 0) return "";
    const columns = terminal.columns();
    const { row, column } = drawn.cursor ?? endOf(drawn.rows);
    const above = drawn.rows.slice(0, row).reduce((rows, text) => rows + folds(visibleWidth(text), columns), 0);
    return `\r${up(above + Math.floor(column / columns))}${ERASE_BELOW}`;
  }

  function compose(): LiveRows {
    if (isStreaming) return NOTHING;
    const columns = terminal.columns();
    const all = PARTS.flatMap((part) => parts.get(part)?.(columns) ?? []).reduce(joinRows, NOTHING);
    // What has scrolled away cannot be drawn again; and one row more keeps what was said last in sight.
    return keepLast(all, Math.max(1, terminal.rows() - 1));
  }

  function redraw(above = ""): void {
    const wanted = compose();
    const added = above === "" ? addedAtEnd(drawn, wanted) : undefined;
    write(added ?? `${toLiveStart()}${above}${draw(wanted)}`);
    drawn = wanted;
  }

  function print(lines: string): void {
    if (lines === "") return;
    if (isMidLine) waiting += lines;
    else redraw(lines.endsWith("\n") ? lines : `${lines}\n`);
  }

  function lineEnded(): void {
    isMidLine = false;
    const held = waiting;
    waiting = "";
    print(held);
  }

  const stopFollowing = terminal.onResize(() => redraw());

  return {
    paint,
    columns: () => terminal.columns(),
    print,
    stream(piece) {
      if (piece === "") return;
      isStreaming = true;
      if (drawn.rows.length > 0) redraw();
      write(piece);
      isMidLine = !piece.endsWith("\n");
      if (!isMidLine) lineEnded();
    },
    endLine() {
      isStreaming = false;
      if (isMidLine) write("\n");
      lineEnded();
      redraw();
    },
    show(part, rows) {
      if (rows === undefined) parts.delete(part);
      else parts.set(part, rows);
      if (!isStreaming) redraw();
    },
    wipe() {
      drawn = compose();
      write(`${EMPTY_SCREEN}${draw(drawn)}`);
    },
    close() {
      stopFollowing();
      parts.clear();
      isStreaming = false;
      if (isMidLine) write("\n");
      lineEnded();
      redraw();
      flush();
    },
  };
}

/** For terminals that cannot erase, and for files: everything is written once, and nothing is live. */
export function createPlainScreen(stdout: Sink, columns: () => number, paint: Paint): Screen {
  let isMidLine = false;
  const write = (text: string) => void (text !== "" && stdout.write(text));
  const endLine = () => {
    if (isMidLine) write("\n");
    isMidLine = false;
  };
  return {
    paint,
    columns,
    print(lines) {
      endLine();
      write(lines === "" || lines.endsWith("\n") ? lines : `${lines}\n`);
    },
    stream(piece) {
      write(piece);
      if (piece !== "") isMidLine = !piece.endsWith("\n");
    },
    endLine,
    show: () => undefined,
    wipe: () => undefined,
    close: endLine,
  };
}

function joinRows(above: LiveRows, below: LiveRows): LiveRows {
  const { cursor } = below;
  const moved = cursor === undefined ? above.cursor : { ...cursor, row: cursor.row + above.rows.length };
  return { rows: [...above.rows, ...below.rows], ...(moved !== undefined && { cursor: moved }) };
}

function keepLast({ rows, cursor }: LiveRows, most: number): LiveRows {
  const extra = Math.max(0, rows.length - most);
  if (cursor === undefined) return { rows: rows.slice(extra) };
  return { rows: rows.slice(extra), cursor: { ...cursor, row: Math.max(0, cursor.row - extra) } };
}

function draw({ rows, cursor }: LiveRows): string {
  const text = rows.join("\n");
  if (cursor === undefined) return text;
  return `${text}\r${up(rows.length - 1 - cursor.row)}${right(cursor.column)}`;
}

/** What is typed at the end of a line needs no redrawing of it. */
function addedAtEnd(before: LiveRows, after: LiveRows): string | undefined {
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

/** Only our own colours are in there. */
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
