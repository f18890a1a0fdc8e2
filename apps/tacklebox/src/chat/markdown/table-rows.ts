import type { Paint } from "../../output/colour.ts";
import { textWidth } from "../../output/text-width.ts";

export function isTableRow(line: string): boolean {
  return /^\s*\|.*\|\s*$/.test(line);
}

/** Aligns the columns of a Markdown table. One that is too wide is shown cell by cell, one under the other. */
export function formatRows(lines: readonly string[], columns: number, paint: Paint): string {
  const rows = lines.map((line) =>
    line
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
  const [heading, rule = [], ...body] = rows;
  const isTable = rule.length > 0 && rule.every((cell) => /^:?-+:?$/.test(cell));
  if (heading === undefined || !isTable) return lines.map((line) => `${line}\n`).join("");
  const widths = heading.map((_, column) => Math.max(...[heading, ...body].map((row) => textWidth(row[column] ?? ""))));
  const total = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  if (total > columns) return [heading, ...body].map((row) => formatTall(heading, row, paint)).join("");
  const format = (row: readonly string[]) =>
    widths
      .map((width, column) => (row[column] ?? "") + " ".repeat(Math.max(0, width - textWidth(row[column] ?? ""))))
      .join(GAP)
      .trimEnd();
  return [paint(format(heading), "bold"), ...body.map(format)].map((line) => `${line}\n`).join("");
}

const GAP = "  ";

/** Shows a row as one line per cell, each with its heading. The heading row itself is left out. */
function formatTall(heading: readonly string[], row: readonly string[], paint: Paint): string {
  if (row === heading) return "";
  const cells = heading.map((name, column) => `${paint(`${name}:`, "bold")} ${row[column] ?? ""}\n`);
  return `${cells.join("")}\n`;
}
