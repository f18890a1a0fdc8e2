import { renderYaml } from "./edit-render.ts";
import { type Added, lineBreakOf, lineEnd, lineStart, type Part, type Splice, type TextNode } from "./edit-tree.ts";

type Container = Exclude<TextNode, { kind: "value" }>;

/** Adds a member or an item below the last one, with the same indentation. */
export function insertInBlock(text: string, container: Container, added: Added): Splice[] {
  const column = container.start - lineStart(text, container.start);
  return [below(text, container.end, column, added)];
}

/** Fills an empty map or list, and removes the text that stood for it, such as `{}`. */
export function fillBlock(text: string, parent: Part, added: Added): Splice[] {
  const { start, end } = parent.node;
  const column = parent.start - lineStart(text, parent.start);
  const from = start === end ? start : start - (/ *$/.exec(text.slice(0, start))?.[0].length ?? 0);
  return [{ start: from, end, text: "" }, below(text, end, column + 2, added)];
}

/** Adds a member at the end of a file that is empty or contains only comments. */
export function fillDocument(text: string, added: Added): Splice[] {
  const lineBreak = lineBreakOf(text);
  const gap = text === "" || text.endsWith("\n") ? "" : lineBreak;
  const lines = renderYaml(added).join(lineBreak);
  return [{ start: text.length, end: text.length, text: `${gap}${lines}${lineBreak}` }];
}

/** Removes the lines of a part. Undefined when the part shares its first line with something else. */
export function removeFromBlock(text: string, container: Container, part: Part): Splice[] | undefined {
  const start = lineStart(text, part.start);
  const before = text.slice(start, part.start);
  const isAlone = container.kind === "list" ? /^\s*-\s+$/.test(before) : before.trim() === "";
  if (!isAlone) return undefined;
  const end = lineEnd(text, part.end);
  const lineBreak = text.indexOf("\n", end);
  return [{ start, end: lineBreak === -1 ? text.length : lineBreak + 1, text: "" }];
}

function below(text: string, offset: number, column: number, added: Added): Splice {
  const at = lineEnd(text, offset);
  const indent = " ".repeat(column);
  const lines = renderYaml(added).map((line) => `${lineBreakOf(text)}${line === "" ? "" : indent}${line}`);
  return { start: at, end: at, text: lines.join("") };
}
