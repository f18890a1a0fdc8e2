import type { Sink, Terminal } from "../../io.ts";
import type { Paint } from "../../output/colour.ts";
import { addedAtEnd, draw, joinRows, keepLast, type LiveRows, NOTHING, toStart } from "./live-rows.ts";

/** Lays out live rows for a width. Called again when the width changes. */
export type Compose = (columns: number) => LiveRows;

/** The parts of the live rows, from top to bottom. */
const PARTS = ["servers", "calls", "model", "person"] as const;
export type LivePart = (typeof PARTS)[number];

/**
 * Output stays as it was written; only the live rows below it are redrawn. All text is printed as it is, so callers
 * must make untrusted text printable first.
 */
export interface Screen {
  readonly paint: Paint;
  columns(): number;
  /** Prints whole lines above the live rows. In the middle of a streamed line they wait for its end. */
  print(lines: string): void;
  /** Prints a piece of text that more pieces follow. Hides the live rows until `endLine`. */
  stream(piece: string): void;
  /** Ends a streamed line, so that the next output begins on a new line. */
  endLine(): void;
  /** Replaces one part of the live rows; undefined removes it. Does nothing where lines cannot be erased. */
  show(part: LivePart, compose: Compose | undefined): void;
  /** Clears the screen and draws the live rows at its top. */
  wipe(): void;
  close(): void;
}

const EMPTY_SCREEN = "\u001b[2J\u001b[H";

/** A screen on a terminal that can erase lines. */
export function createScreen(
  stdout: Sink,
  terminal: Terminal,
  paint: Paint,
  soon: (task: () => void) => void = setImmediate,
): Screen {
  const parts = new Map<LivePart, Compose>();
  const { write, flush } = createWriter(stdout, soon);
  let drawn = NOTHING;
  let isStreaming = false;
  let isMidLine = false;
  let waiting = "";

  function compose(): LiveRows {
    if (isStreaming) return NOTHING;
    const columns = terminal.columns();
    const all = PARTS.flatMap((part) => parts.get(part)?.(columns) ?? []).reduce(joinRows, NOTHING);
    // Rows that scrolled away cannot be redrawn; one spare row keeps the last line of output in sight.
    return keepLast(all, Math.max(1, terminal.rows() - 1));
  }

  function redraw(above = ""): void {
    const wanted = compose();
    const added = above === "" ? addedAtEnd(drawn, wanted) : undefined;
    write(added ?? `${toStart(drawn, terminal.columns())}${above}${draw(wanted)}`);
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

/** A screen on a file, or on a terminal that cannot erase lines: everything is written once, without live rows. */
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

/**
 * Combines everything written within one turn of the event loop into one write, so that a fast model does not cost one
 * write per word.
 */
function createWriter(stdout: Sink, soon: (task: () => void) => void) {
  let unwritten = "";

  function flush(): void {
    const text = unwritten;
    unwritten = "";
    if (text !== "") void stdout.write(text);
  }

  return {
    write(text: string): void {
      if (text === "") return;
      const isFirst = unwritten === "";
      unwritten += text;
      if (isFirst) soon(flush);
    },
    flush,
  };
}
