import type { StyledRun } from "./inline.ts";

/** A line without its leading mark, and what is shown in place of the mark. */
export interface MarkedLine {
  readonly mark: StyledRun;
  /** The start of each continuation line; undefined to indent them by the width of the mark. */
  readonly below: StyledRun | undefined;
  readonly text: string;
  readonly isHeading: boolean;
}

const BLOCK = /^(\s*)(?:(#{1,6})\s+|([-*+]|\d{1,9}[.)])\s+|((?:>\s?)+))/;

/** Reads the mark of a heading, a list item or a quotation. */
export function readBlockMark(head: string, hasStyles: boolean): MarkedLine {
  const [written = "", indent = "", hashes, bullet, quote] = BLOCK.exec(head) ?? [];
  const text = head.slice(written.length);
  if (hashes !== undefined)
    return { mark: { text: hasStyles ? "" : `${hashes} ` }, below: { text: "" }, text, isHeading: true };
  if (bullet !== undefined) {
    const shown = /\d/.test(bullet) ? bullet : "•";
    return { mark: { text: `${indent}${shown} ` }, below: undefined, text, isHeading: false };
  }
  if (quote !== undefined) {
    const bar: StyledRun = { text: "│ ".repeat(quote.match(/>/g)?.length ?? 1), style: "dim" };
    return { mark: bar, below: bar, text, isHeading: false };
  }
  const space = /^\s*/.exec(head)?.[0] ?? "";
  return { mark: { text: space }, below: undefined, text: head.trimStart(), isHeading: false };
}
