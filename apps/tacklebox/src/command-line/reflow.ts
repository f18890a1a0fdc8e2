/**
 * Breaks the lines of a help text so that they fit. The lines of a paragraph are joined first. A line that is indented,
 * such as an example, stays a line of its own, and goes on further to the right if it is too long; it is joined with the
 * next one only if it ends in the middle of a JSON shape.
 */
export function reflow(text: string, width: number): string {
  const lines: string[] = [];
  let isJoined = false;
  for (const line of text.split("\n")) {
    const isPlain = line !== "" && !line.startsWith(" ");
    const before = lines.at(-1);
    const goesOn = isPlain ? isJoined : UNFINISHED.test(before ?? "");
    if (goesOn && before !== undefined) lines[lines.length - 1] = `${before} ${line.trimStart()}`;
    else lines.push(line);
    isJoined = isPlain;
  }
  return lines.flatMap((line) => breakLine(line, width)).join("\n");
}

/** An indented line that ends with a comma or a bar. */
const UNFINISHED = /^ .*[,|]$/;

function breakLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const next = indent === "" ? "" : `${indent}  `;
  const rows: string[] = [];
  let row = indent;
  for (const word of line.slice(indent.length).split(" ")) {
    const isFirst = row.trim() === "";
    if (!isFirst && row.length + 1 + word.length > width) {
      rows.push(row);
      row = `${next}${word}`;
    } else row = isFirst ? `${row}${word}` : `${row} ${word}`;
  }
  return [...rows, row];
}
