import type { Colour, Paint } from "../../output/colour.ts";
import { characterWidth, splitCharacters, textWidth } from "../../output/text-width.ts";
import type { StyledRun } from "./inline.ts";

/** Breaks lines between words as they come. A word is written when it is known to be whole. */
export interface WordWrap {
  /** Begins a line; those it is broken into are indented as far as `mark` is wide, or by `below`. */
  begin(mark: StyledRun, below?: StyledRun): void;
  add(run: StyledRun): void;
  /** Writes every whole word. */
  flush(): void;
  /** Writes what is held and ends the line. */
  end(): void;
}

const SPACE = " ";
const NOTHING: StyledRun = { text: "" };

export function createWordWrap(write: (text: string) => void, paint: Paint, columns: () => number): WordWrap {
  let below: StyledRun = NOTHING;
  let pen: StyledRun = NOTHING;
  let column = 0;
  let word: StyledRun[] = [];
  let space: StyledRun | undefined;

  function put(run: StyledRun): void {
    if (run.style !== pen.style) settle();
    pen = { ...run, text: pen.text + run.text };
    column += textWidth(run.text);
  }

  /** Words of one style are painted as one. */
  function settle(): void {
    if (pen.text !== "") write(paint(pen.text, pen.style));
    pen = NOTHING;
  }

  function breakLine(): void {
    settle();
    write("\n");
    column = 0;
    put(below);
  }

  function endWord(): void {
    if (word.length === 0) return;
    const width = word.reduce((sum, { text }) => sum + textWidth(text), 0);
    // The last column stays free, so that no terminal folds the line itself.
    const room = columns() - 1;
    const isFirst = column <= textWidth(below.text);
    const needed = width + (space === undefined ? 0 : textWidth(space.text));
    if (!isFirst && column + needed > room) breakLine();
    else if (space !== undefined) put(space);
    space = undefined;
    if (column + width > room) for (const run of word) putBroken(run, room);
    else for (const run of word) put(run);
    word = [];
  }

  /** A word that is longer than a line. */
  function putBroken({ text, style }: StyledRun, room: number): void {
    for (const character of splitCharacters(text)) {
      if (column + characterWidth(character) > room && column > textWidth(below.text)) breakLine();
      put({ text: character, ...(style !== undefined && { style }) });
    }
  }

  function add({ text, style }: StyledRun): void {
    const styled = style === undefined ? {} : { style };
    for (const part of text.match(/\s+|\S+/g) ?? []) {
      if (part.trim() === "") {
        endWord();
        space = { text: part.replaceAll("\t", SPACE), ...styled };
        continue;
      }
      for (const piece of splitWide(part)) {
        // Between two characters of such a script a line may end anywhere.
        if (word.length > 0 && (isWide(piece) || isWide(word.at(-1)?.text ?? ""))) endWord();
        word.push({ text: piece, ...styled });
      }
    }
  }

  return {
    begin(mark, rest = { text: SPACE.repeat(textWidth(mark.text)) }) {
      below = rest;
      column = 0;
      put(mark);
    },
    add,
    flush: settle,
    end() {
      endWord();
      settle();
      space = undefined;
      write("\n");
      column = 0;
    },
  };
}

/** One line of text as as many as the width needs, each ending in a newline. */
export function wrapText(
  runs: readonly StyledRun[],
  { paint, columns }: { readonly paint: Paint; readonly columns: () => number },
  indent = "",
): string {
  let text = "";
  const write = (piece: string) => {
    text += piece;
  };
  const wrap = createWordWrap(write, paint, columns);
  wrap.begin({ text: indent });
  for (const run of runs) wrap.add(run);
  wrap.end();
  return text;
}

/** Every line of a text in one style, broken to the width. */
export function wrapLines(text: string, style: Colour, look: Parameters<typeof wrapText>[1]): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.map((line) => wrapText([{ text: line.trimStart(), style }], look, /^\s*/.exec(line)?.[0])).join("");
}

/** Characters of two columns alone, everything between them together. */
function splitWide(part: string): readonly string[] {
  if (/^[\x20-\x7e]*$/.test(part)) return [part];
  const pieces: string[] = [];
  for (const character of splitCharacters(part)) {
    const last = pieces.at(-1);
    if (last === undefined || isWide(character) || isWide(last)) pieces.push(character);
    else pieces[pieces.length - 1] = last + character;
  }
  return pieces;
}

function isWide(text: string): boolean {
  const [first = ""] = splitCharacters(text);
  return first === text && text !== "" && characterWidth(text) === 2;
}
