import { type Colour, type Paint, plain } from "./colour.ts";
import { printableLine } from "./printable.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

export interface Cell {
  readonly text: string;
  readonly colour?: Colour;
}

export interface TableLook {
  readonly paint: Paint;
  /** The last column is cut so that lines fit; undefined leaves it whole. */
  readonly columns: number | undefined;
}

const GAP = "  ";
const NARROWEST_LAST_COLUMN = 12;

/** Lines of a table, each ending in a newline. Cells may hold untrusted text; what could deceive is made visible. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly (Cell | string)[])[],
  look: TableLook = { paint: plain, columns: undefined },
): string {
  const heading: readonly Cell[] = headings.map((text) => ({ text, colour: "bold" }));
  const lines = [heading, ...rows.map((row) => row.map(toCell))];
  const last = headings.length - 1;
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => textWidth(line[column]?.text ?? ""))));
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const room = look.columns === undefined ? undefined : Math.max(look.columns - before, NARROWEST_LAST_COLUMN);

  return lines.map((line) => `${formatLine(line, widths, room, look.paint)}\n`).join("");
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
