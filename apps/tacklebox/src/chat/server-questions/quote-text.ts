import { countOf } from "@tacklebox/core";
import type { Colour } from "../../output/colour.ts";
import { printableLine, printableText } from "../../output/printable.ts";
import type { StyledRun } from "../markdown/inline.ts";
import { createWordWrap } from "../markdown/word-wrap.ts";
import type { Screen } from "../terminal/screen.ts";

const BAR: StyledRun = { text: "│ ", style: "dim" };
/** No one reads more than this before answering. */
const MAX_CHARACTERS = 2_000;

/** Quotes a server's text with a bar before each row, so that none of it can pass for our own output (T18). */
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

/** Fits a server's text into a row of ours. Collapses spaces, which could push text to the start of the next row. */
export function oneLine(text: string): string {
  return printableLine(text).replace(/\s+/g, " ").trim();
}

function shorten(text: string): string {
  const more = text.length - MAX_CHARACTERS;
  return more > 0 ? `${text.slice(0, MAX_CHARACTERS)}… (${countOf(more, "more character")})` : text;
}
