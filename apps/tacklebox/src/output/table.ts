import { type Colour, type Paint, plain } from "./colour.ts";
import { printableLine } from "./printable.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

export interface Cell {
  readonly text: string;
  readonly colour?: Colour;
}

export interface TableStyle {
  readonly paint: Paint;
  /** The width of the screen; the last column is cut to fit. Undefined leaves it uncut. */
  readonly columns: number | undefined;
}

const GAP = "  ";
const NARROWEST_LAST_COLUMN = 12;

/** Formats a table, each line ending in a newline. Makes cells printable, so they may hold untrusted text. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly (Cell | string)[])[],
  style: TableStyle = { paint: plain, columns: undefined },
): string {
  const heading: readonly Cell[] = headings.map((text) => ({ text, colour: "bold" }));
  const lines = [heading, ...rows.map((row) => row.map(toCell))];
  const last = headings.length - 1;
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => textWidth(line[column]?.text ?? ""))));
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const room = style.columns === undefined ? undefined : Math.max(style.columns - before, NARROWEST_LAST_COLUMN);

  return lines.map((line) => `${formatLine(line, widths, room, style.paint)}\n`).join("");
}

function formatLine(line: readonly Cell[], widths: readonly number[], room: number | undefined, paint: Paint): string {
  const last = widths.length - 1;
  const cells = line.map((cell, column) => {
    if (column === last) return paint(room === undefined ? cell.text : cutToWidth(cell.text, room), cell.colour);
    const padding = " ".repeat((widths[column] ?? 0) - textWidth(cell.text));
    return paint(cell.text, cell.colour) + padding;
  });
  return cells.join(GAP).trimEnd();
}

function toCell(cell: Cell | string): Cell {
  if (typeof cell === "string") return { text: printableLine(cell) };
  return { ...cell, text: printableLine(cell.text) };
}
