import type { Json } from "@tacklebox/core";
import type { Paint } from "./colour.ts";
import { printableJson } from "./printable.ts";

interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Lines of context around a change. */
const CONTEXT = 1;
/** Comparing costs the product of both lengths; beyond this everything counts as changed. */
const MAX_PAIRS = 4_000_000;

/** Shows the removed and added lines of two JSON values with a little context. */
export function formatDifference(before: Json, after: Json, paint: Paint): string {
  return formatLineDifference(toLines(before), toLines(after), paint);
}

/** The same for printable lines of text. */
export function formatLineDifference(before: readonly string[], after: readonly string[], paint: Paint): string {
  const lines = compareLines(before, after);
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(isChange));
  const shown: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (near[at] === true) shown.push(paintLine(line, paint));
    else if (near[at - 1] === true) shown.push(paint("  …", "dim"));
  }
  return shown.map((line) => `${line}\n`).join("");
}

const COLOURS = { " ": "dim", "-": "red", "+": "green" } as const;

function paintLine({ sign, text }: DiffLine, paint: Paint): string {
  return paint(`${sign} ${text}`, COLOURS[sign]);
}

function isChange({ sign }: DiffLine): boolean {
  return sign !== " ";
}

/** Sorts members, so that their order does not count as a change. */
function toLines(value: Json): readonly string[] {
  return printableJson(JSON.stringify(sorted(value), undefined, 2)).split("\n");
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member ?? null)]));
}

/** Compares by the longest common subsequence: its lines stay, all others were removed or added. */
function compareLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length * after.length > MAX_PAIRS)
    return [...before.map((text) => removed(text)), ...after.map((text) => added(text))];
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  const shared = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const length =
        before[row] === after[column]
          ? shared(row + 1, column + 1) + 1
          : Math.max(shared(row + 1, column), shared(row, column + 1));
      lengths[row]?.fill(length, column, column + 1);
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, current] = [before[row], after[column]];
    if (old !== undefined && old === current) {
      lines.push({ sign: " ", text: old });
      row += 1;
      column += 1;
    } else if (old !== undefined && (current === undefined || shared(row + 1, column) >= shared(row, column + 1))) {
      lines.push(removed(old));
      row += 1;
    } else {
      lines.push(added(current ?? ""));
      column += 1;
    }
  }
  return lines;
}

function removed(text: string): DiffLine {
  return { sign: "-", text };
}

function added(text: string): DiffLine {
  return { sign: "+", text };
}
