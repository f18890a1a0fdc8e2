import { renderYaml } from "./edit-render.ts";
import { lineBreakOf, lineEnd, lineStart, type Part, type Splice, type TextNode } from "./edit-tree.ts";

type Container = Exclude<TextNode, { kind: "value" }>;

/** Adds a member or an item below the last one, indented as that is. */
export function insertInBlock(text: string, container: Container, key: string | undefined, value: unknown): Splice[] {
  const column = container.start - lineStart(text, container.start);
  return [below(text, container.end, column, key, value)];
}

/** Fills a map or list that has nothing in it yet: what stands for nothing, such as `{}`, goes. */
export function fillBlock(text: string, parent: Part, key: string | undefined, value: unknown): Splice[] {
  const { start, end } = parent.node;
  const column = parent.start - lineStart(text, parent.start);
  const from = start === end ? start : start - (/ *$/.exec(text.slice(0, start))?.[0].length ?? 0);
  return [{ start: from, end, text: "" }, below(text, end, column + 2, key, value)];
}

/** Adds a member at the end of a file that has nothing but comments in it. */
export function fillDocument(text: string, key: string, value: unknown): Splice[] {
  const lineBreak = lineBreakOf(text);
  const gap = text === "" || text.endsWith("\n") ? "" : lineBreak;
  const added = renderYaml({ [key]: value }).join(lineBreak);
  return [{ start: text.length, end: text.length, text: `${gap}${added}${lineBreak}` }];
}

/** Takes the lines of a part out; undefined when it shares its first line with something else. */
export function removeFromBlock(text: string, container: Container, part: Part): Splice[] | undefined {
  const start = lineStart(text, part.start);
  const before = text.slice(start, part.start);
  const isAlone = container.kind === "list" ? /^\s*-\s+$/.test(before) : before.trim() === "";
  if (!isAlone) return undefined;
  const end = lineEnd(text, part.end);
  const lineBreak = text.indexOf("\n", end);
  return [{ start, end: lineBreak === -1 ? text.length : lineBreak + 1, text: "" }];
}

function below(text: string, offset: number, column: number, key: string | undefined, value: unknown): Splice {
  const at = lineEnd(text, offset);
  const indent = " ".repeat(column);
  const lines = renderYaml(key === undefined ? [value] : { [key]: value });
  const added = lines.map((line) => `${lineBreakOf(text)}${line === "" ? "" : indent}${line}`).join("");
  return { start: at, end: at, text: added };
}
