import { renderJson, renderJsonLine } from "./edit-render.ts";
import { type Added, lineBreakOf, lineEnd, lineStart, type Part, type Splice, type TextNode } from "./edit-tree.ts";

type Container = Exclude<TextNode, { kind: "value" }>;

/** Adds a part after the others, in their layout. A comment after the last part stays with that part. */
export function insertInFlow(text: string, container: Container, added: Added): Splice[] {
  const close = container.end - 1;
  const last = container.parts.at(-1);
  if (last === undefined) return insertFirst(text, container, added);
  const gap = text.slice(last.end, close);
  const comma = findComma(gap) === -1 ? [{ start: last.end, end: last.end, text: "," }] : [];
  const at = last.end + gap.trimEnd().length;
  const first = container.parts[0] ?? last;
  if (!text.slice(container.start, first.start).includes("\n") && !gap.includes("\n"))
    return [...comma, { start: at, end: at, text: ` ${partsOf(added, renderJsonLine).join(", ")}` }];
  const indent = indentAt(text, first.start);
  const lines = linesOf(text, added, indent, unitOf(text, container, indent));
  return [...comma, { start: at, end: at, text: lines }];
}

function insertFirst(text: string, container: Container, added: Added): Splice[] {
  const outer = indentAt(text, container.start);
  const unit = unitOf(text, container, outer);
  const indent = `${outer}${unit}`;
  const lineBreak = lineBreakOf(text);
  const start = container.start + 1;
  const isOneLine = !text.slice(start, container.end - 1).includes("\n");
  const end = isOneLine ? container.end - 1 : start;
  const lines = linesOf(text, added, indent, unit);
  return [{ start, end, text: isOneLine ? `${lines}${lineBreak}${outer}` : lines }];
}

/** Removes a part with its comma, and its line if nothing else is on it. */
export function removeFromFlow(text: string, container: Container, part: Part): Splice[] {
  const index = container.parts.indexOf(part);
  const previous = container.parts[index - 1];
  const next = container.parts[index + 1];
  const comma = findComma(text.slice(part.end, next?.start ?? container.end - 1));
  const splice = wholeLine(text, part.start, comma === -1 ? part.end : part.end + comma + 1);
  if (comma !== -1 && next !== undefined) return [splice];
  // For the last part, the comma before it goes too: not every program accepts a trailing comma.
  const before = previous === undefined ? -1 : findComma(text.slice(previous.end, part.start));
  if (previous === undefined || before === -1) return [splice];
  const at = previous.end + before;
  return [{ start: at, end: at + 1, text: "" }, splice];
}

function wholeLine(text: string, start: number, end: number): Splice {
  const from = lineStart(text, start);
  const to = lineEnd(text, end);
  const isAlone = text.slice(from, start).trim() === "" && text.slice(end, to).trim() === "";
  if (!isAlone || to >= text.length) return { start, end: end + leadingSpaces(text.slice(end)), text: "" };
  return { start: from, end: text.indexOf("\n", to) + 1, text: "" };
}

function leadingSpaces(text: string): number {
  return /^ */.exec(text)?.[0].length ?? 0;
}

/** Finds the comma between two parts, ignoring commas inside comments. */
function findComma(gap: string): number {
  return gap.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*/g, (comment) => " ".repeat(comment.length)).indexOf(",");
}

/** Renders each part on lines of its own. */
function linesOf(text: string, added: Added, indent: string, unit: string): string {
  const start = `${lineBreakOf(text)}${indent}`;
  return partsOf(added, (value) => renderJson(value, unit).join(start))
    .map((part) => `${start}${part}`)
    .join(",");
}

function partsOf(added: Added, render: (value: unknown) => string): string[] {
  if (isList(added)) return added.map(render);
  return Object.entries(added).map(([key, value]) => `${renderJsonLine(key)}: ${render(value)}`);
}

function isList(added: Added): added is readonly unknown[] {
  return Array.isArray(added);
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? "";
}

/** One step of indentation in this file's style. */
function unitOf(text: string, container: Container, indent: string): string {
  const outer = indentAt(text, container.start);
  if (indent.length > outer.length && indent.startsWith(outer)) return indent.slice(outer.length);
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}
