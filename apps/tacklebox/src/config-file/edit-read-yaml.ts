import { isMap, isScalar, isSeq, type Pair, parseDocument } from "yaml";
import type { Part, TextNode } from "./edit-tree.ts";

/** Parses a text into a tree. Undefined when it is not one well-formed document; an empty document is a null value. */
export function readYamlTree(text: string): TextNode | undefined {
  const document = parseDocument(text, { uniqueKeys: false });
  if (document.errors.length > 0) return undefined;
  return document.contents === null
    ? { kind: "value", start: text.length, end: text.length, isNull: true }
    : toTextNode(document.contents, text);
}

export function readYamlValue(text: string): unknown {
  return parseDocument(text, { uniqueKeys: false }).toJS();
}

function toTextNode(node: unknown, text: string): TextNode {
  if (isMap(node)) {
    const style = node.flow ? "flow" : "block";
    const parts = node.items.flatMap((pair) => toMember(pair, text));
    return { kind: "map", style, ...placeOf(node, style, parts), parts };
  }
  if (isSeq(node)) {
    const style = node.flow ? "flow" : "block";
    const parts = node.items.map((item, step): Part => {
      const child = toTextNode(item, text);
      return { step, start: child.start, end: child.end, node: child };
    });
    return { kind: "list", style, ...placeOf(node, style, parts), parts };
  }
  const [start = 0, end = start] = rangeOf(node) ?? [];
  // A block scalar's range includes its trailing line breaks.
  const visible = start + text.slice(start, end).trimEnd().length;
  return { kind: "value", start, end: visible, isNull: isScalar(node) && node.value === null };
}

function toMember(pair: Pair, text: string): Part[] {
  const key = isScalar(pair.key) ? pair.key : undefined;
  if (key?.range === undefined || key.range === null) return [];
  const node = toTextNode(pair.value, text);
  return [{ step: String(key.value), start: key.range[0], end: Math.max(node.end, key.range[1]), node }];
}

// A block ends where its last part does: the comments and blank lines after it are not part of it.
function placeOf(node: unknown, style: "block" | "flow", parts: readonly Part[]): { start: number; end: number } {
  const [start = 0, end = start] = rangeOf(node) ?? [];
  return { start, end: style === "flow" ? end : (parts.at(-1)?.end ?? end) };
}

function rangeOf(node: unknown): readonly number[] | undefined {
  if (typeof node !== "object" || node === null || !("range" in node)) return undefined;
  return Array.isArray(node.range) ? node.range.map(Number) : undefined;
}
