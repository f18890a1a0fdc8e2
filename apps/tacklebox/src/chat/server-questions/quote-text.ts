import type { Colour } from "../../output/colour.ts";
import { printableLine, printableText } from "../../output/printable.ts";
import type { StyledRun } from "../markdown/inline.ts";
import { createWordWrap } from "../markdown/word-wrap.ts";
import type { Screen } from "../screen.ts";

const BAR: StyledRun = { text: "│ ", style: "dim" };
/** Nobody reads more than this before they answer. */
const MOST_CHARACTERS = 2_000;

/** Words of a server, with a bar before each row: none of them can pass for a row of ours (T18). */
export function quoteText(text: string, { paint, columns }: Pick<Screen, "paint" | "columns">, style?: Colour): string {
  let written = "";
  const write = (piece: string) => {
    written += piece;
  };
  const wrap = createWordWrap(write, paint, columns);
  for (const line of printableText(shorten(text.trim())).split("\n")) {
    wrap.begin(BAR, BAR);
    wrap.add({ text: oneLine(line), ...(style !== undefined && { style }) });
    wrap.end();
  }
  return written;
}

/** For words of a server in a row of ours. Many spaces would fill the row, and what follows them would begin another. */
export function oneLine(text: string): string {
  return printableLine(text).replace(/\s+/g, " ").trim();
}

function shorten(text: string): string {
  const more = text.length - MOST_CHARACTERS;
  return more > 0 ? `${text.slice(0, MOST_CHARACTERS)}… (${more} more characters)` : text;
}
