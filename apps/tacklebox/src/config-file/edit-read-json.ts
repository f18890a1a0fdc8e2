import { type Node, type ParseError, parse, parseTree } from "jsonc-parser";
import type { Part, TextNode } from "./edit-tree.ts";

const OPTIONS = { allowTrailingComma: true };

export function readJsonTree(text: string): TextNode | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, OPTIONS);
  return root === undefined || errors.length > 0 ? undefined : toTextNode(root);
}

export function readJsonValue(text: string): unknown {
  return parse(text, [], OPTIONS);
}

function toTextNode(node: Node): TextNode {
  const place = { start: node.offset, end: node.offset + node.length };
  const children = node.children ?? [];
  if (node.type === "object") return { kind: "map", style: "flow", ...place, parts: children.flatMap(toMember) };
  if (node.type !== "array") return { kind: "value", ...place, isNull: node.type === "null" };
  const parts = children.map((child, step): Part => {
    const item = toTextNode(child);
    return { step, start: item.start, end: item.end, node: item };
  });
  return { kind: "list", style: "flow", ...place, parts };
}

function toMember({ children = [], offset }: Node): Part[] {
  const [key, value] = children;
  if (key === undefined || value === undefined) return [];
  const node = toTextNode(value);
  return [{ step: String(key.value), start: offset, end: node.end, node }];
}
