// @ts-check
import { median, verdict } from "./arithmetic.mjs";

/**
 * One line of the report. `values` holds the figure the target applies to, per round; rows without a target are for
 * comparison.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {string} ours
 * @property {string} reference
 * @property {readonly number[]} values
 * @property {string} unit of the values: "x" for a ratio
 * @property {import("./arithmetic.mjs").Target} [target]
 */

const HEADINGS = ["what", "ours", "compared with", "figure", "target", "verdict"];
const SIGNS = { "at most": "<=", "at least": ">=", below: "<" };

/**
 * @param {readonly Row[]} rows
 * @returns {string[][]} with the headings first
 */
export function toCells(rows) {
  return [HEADINGS, ...rows.map(cellsOf)];
}

/** @param {Row} row */
function cellsOf({ what, ours, reference, values, unit, target }) {
  if (values.length === 0) return [what, ours, reference, "", "", ""];
  const range = values.length === 1 ? "" : ` (${short(Math.min(...values))} to ${short(Math.max(...values))})`;
  const figure = `${inUnit(median(values), unit)}${range}`;
  if (target === undefined) return [what, ours, reference, figure, "", ""];
  const aim = target.aim === undefined ? "" : `, aim ${inUnit(target.aim, unit)}`;
  const bound = `${SIGNS[target.is]} ${inUnit(target.bound, unit)}${aim}`;
  return [what, ours, reference, figure, bound, verdict(values, target)];
}

/**
 * @param {number} value
 * @param {string} unit
 */
export function inUnit(value, unit) {
  return `${short(value)}${unit === "" ? "" : ` ${unit}`}`;
}

/**
 * Formats with three significant digits, never with an exponent.
 *
 * @param {number} value
 */
function short(value) {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(size >= 1 || size === 0 ? 2 : 3);
}

/** @param {readonly (readonly string[])[]} cells */
export function toText(cells) {
  const widths = widthsOf(cells);
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** @param {readonly (readonly string[])[]} cells */
export function toMarkdown(cells) {
  const [headings = [], ...rows] = cells;
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(headings), `|${headings.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** @param {readonly (readonly string[])[]} cells */
function widthsOf(cells) {
  const [headings = []] = cells;
  return headings.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
}
