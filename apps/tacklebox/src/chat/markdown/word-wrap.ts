import type { Colour, Paint } from "../../output/colour.ts";
import { characterWidth, splitCharacters, textWidth } from "../../output/text-width.ts";
import type { StyledRun } from "./inline.ts";

/** Breaks lines between words as text arrives. Writes a word once it is known to be complete. */
export interface WordWrap {
  /** Begins a line. Its continuation lines begin with `below`, or are indented by the width of `mark`. */
  begin(mark: StyledRun, below?: StyledRun): void;
  add(run: StyledRun): void;
  /** Writes every complete word. */
  flush(): void;
  /** Writes everything that is held back and ends the line. */
  end(): void;
}

const SPACE = " ";
const NOTHING: StyledRun = { text: "" };

export function createWordWrap(write: (text: string) => void, paint: Paint, columns: () => number): WordWrap {
  let below: StyledRun = NOTHING;
  let unpainted: StyledRun = NOTHING;
  let column = 0;
  let word: StyledRun[] = [];
  let space: StyledRun | undefined;

  function put(run: StyledRun): void {
    if (run.style !== unpainted.style) paintHeld();
    unpainted = { ...run, text: unpainted.text + run.text };
    column += textWidth(run.text);
  }

  /** Paints adjacent words of one style together. */
  function paintHeld(): void {
    if (unpainted.text !== "") write(paint(unpainted.text, unpainted.style));
    unpainted = NOTHING;
  }

  function breakLine(): void {
    paintHeld();
    write("\n");
    column = 0;
    put(below);
  }

  function endWord(): void {
    if (word.length === 0) return;
    const width = word.reduce((sum, { text }) => sum + textWidth(text), 0);
    // The last column stays free, so that the terminal does not wrap the line itself.
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

  /** Breaks a word that is longer than a line. */
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
        // A line may break between any two wide characters.
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
    flush: paintHeld,
    end() {
      endWord();
      paintHeld();
      space = undefined;
      write("\n");
      column = 0;
    },
  };
}

/** Wraps one line of text to the width. Every resulting line ends in a newline. */
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

/** Wraps every line of a text to the width, in one style. */
export function wrapLines(text: string, style: Colour, layout: Parameters<typeof wrapText>[1]): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.map((line) => wrapText([{ text: line.trimStart(), style }], layout, /^\s*/.exec(line)?.[0])).join("");
}

/** Splits off each character that is two columns wide, and keeps the text between them together. */
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
