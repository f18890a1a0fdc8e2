import { printableLine } from "../output/printable.ts";
import { characterWidth, textWidth } from "../output/text-width.ts";
import type { LineDraft } from "./line-editor.ts";
import type { LiveRows } from "./screen.ts";

export interface InputLook {
  /** In front of the first row; those below are indented as far. */
  readonly label: string;
  /** The label as it is printed. */
  readonly painted: string;
  readonly columns: number;
  /** How many rows there may be; those around the cursor are shown. */
  readonly rows: number;
}

/** A line being typed as rows of the terminal, and where in them the cursor is. */
export function drawInput(
  { characters, cursor }: LineDraft,
  { label, painted, columns, rows: most }: InputLook,
): LiveRows {
  const indent = textWidth(label);
  // The last column stays free: a terminal that has to fold a row moves all that is below it.
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
