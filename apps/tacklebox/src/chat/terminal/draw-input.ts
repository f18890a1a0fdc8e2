import { printableLine } from "../../output/printable.ts";
import { characterWidth, textWidth } from "../../output/text-width.ts";
import type { LineDraft } from "./line-editor.ts";
import type { LiveRows } from "./live-rows.ts";

export interface InputLayout {
  /** Shown before the first row; the rows below are indented by its width. */
  readonly label: string;
  /** The label with its colours. */
  readonly painted: string;
  readonly columns: number;
  /** The most rows to show; rows around the cursor are chosen. */
  readonly rows: number;
}

/** Lays out the line being typed as terminal rows with a cursor position. */
export function drawInput(
  { characters, cursor }: LineDraft,
  { label, painted, columns, rows: most }: InputLayout,
): LiveRows {
  const indent = textWidth(label);
  // The last column stays free: a terminal that wraps a row would move everything below it.
  const room = Math.max(1, columns - indent - 1);
  const rows: string[] = [];
  let row = "";
  let width = 0;
  let place = { row: 0, column: indent };

  const endRow = () => {
    rows.push(row);
    row = "";
    width = 0;
  };
  for (const [index, character] of [...characters, ""].entries()) {
    const shown = character === "\n" ? "" : printableLine(character);
    const wide = shown === character ? widthOf(character) : textWidth(shown);
    if (width + wide > room && width > 0) endRow();
    if (index === cursor) place = { row: rows.length, column: indent + width };
    row += shown;
    width += wide;
    if (character === "\n") endRow();
  }
  endRow();
  const whole = rows.map((text, at) => (at === 0 ? painted : " ".repeat(indent)) + text);
  const first = Math.max(0, place.row - most + 1);
  return { rows: whole.slice(first, first + most), cursor: { ...place, row: place.row - first } };
}

function widthOf(character: string): number {
  return character === "" ? 0 : characterWidth(character);
}
