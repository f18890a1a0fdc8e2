import { isDeepStrictEqual } from "node:util";
import { fillBlock, fillDocument, insertInBlock, removeFromBlock } from "./edit-block.ts";
import { insertInFlow, removeFromFlow } from "./edit-flow.ts";
import { readJsonTree, readJsonValue } from "./edit-read-json.ts";
import { readYamlTree, readYamlValue } from "./edit-read-yaml.ts";
import { renderJsonLine } from "./edit-render.ts";
import {
  type Added,
  applySplices,
  type EditPath,
  nodeAt,
  type Part,
  partAt,
  type Splice,
  type TextNode,
} from "./edit-tree.ts";

export type Syntax = "yaml" | "json";

export type Edit =
  /** Appends members to the map, or items to the list, at `path`, and creates it if need be. */
  | { readonly kind: "add"; readonly path: EditPath; readonly added: Added }
  | { readonly kind: "replace"; readonly path: EditPath; readonly value: boolean }
  | { readonly kind: "remove"; readonly path: EditPath };

export function syntaxOf(file: string): Syntax {
  return /\.jsonc?$/i.test(file) ? "json" : "yaml";
}

export function readValue(text: string, syntax: Syntax): unknown {
  return syntax === "json" ? readJsonValue(text) : readYamlValue(text);
}

/**
 * Makes one edit and keeps every other line as it was. Undefined when that is impossible: the text is malformed, or is
 * written in a way (aliases, several documents) that would make the edit change more than was asked.
 */
export function editText(text: string, syntax: Syntax, edit: Edit): string | undefined {
  const root = syntax === "json" ? readJsonTree(text) : readYamlTree(text);
  if (root === undefined) return undefined;
  const splices = toSplices(text, syntax, root, edit);
  if (splices === undefined) return undefined;
  const edited = applySplices(text, splices);
  // A check that holds for any text: its new value must be the old value with the edit, in the same order.
  const stillReads = (syntax === "json" ? readJsonTree(edited) : readYamlTree(edited)) !== undefined;
  return stillReads && isSame(readValue(edited, syntax), changed(readValue(text, syntax), edit)) ? edited : undefined;
}

function toSplices(text: string, syntax: Syntax, root: TextNode, edit: Edit): readonly Splice[] | undefined {
  if (edit.kind === "add") return insert(text, syntax, root, edit.path, edit.added);
  const container = nodeAt(root, edit.path.slice(0, -1));
  const part = container && partAt(container, edit.path.at(-1) ?? "");
  if (container === undefined || container.kind === "value" || part === undefined) return undefined;
  if (edit.kind === "replace")
    return [{ start: part.node.start, end: part.node.end, text: renderJsonLine(edit.value) }];
  return container.style === "flow" ? removeFromFlow(text, container, part) : removeFromBlock(text, container, part);
}

function insert(
  text: string,
  syntax: Syntax,
  root: TextNode,
  path: EditPath,
  added: Added,
): readonly Splice[] | undefined {
  const { parent, container, missing } = descend(root, path);
  if (missing.length > 0) return insert(text, syntax, root, path.slice(0, -missing.length), wrap(missing, added));
  const isEmpty = container.kind === "value" ? container.isNull : container.parts.length === 0;
  const isBlock = syntax === "yaml" && (parent === undefined || parent.style === "block");
  if (isEmpty && isBlock && parent !== undefined) return fillBlock(text, parent.part, added);
  if (isEmpty && isBlock && container.kind === "value") return fillDocument(text, added);
  if (container.kind === "value")
    return container.isNull ? [{ start: container.start, end: container.end, text: renderJsonLine(added) }] : undefined;
  if ((container.kind === "list") !== Array.isArray(added)) return undefined;
  return container.style === "flow" ? insertInFlow(text, container, added) : insertInBlock(text, container, added);
}

interface Descent {
  readonly container: TextNode;
  readonly parent: { readonly part: Part; readonly style: "block" | "flow" } | undefined;
  readonly missing: EditPath;
}

/** Follows the path as far as the file goes. */
function descend(root: TextNode, path: EditPath): Descent {
  let descent: Descent = { container: root, parent: undefined, missing: [] };
  for (const [depth, step] of path.entries()) {
    const { container } = descent;
    const part = partAt(container, step);
    if (part === undefined || container.kind === "value") return { ...descent, missing: path.slice(depth) };
    descent = { container: part.node, parent: { part, style: container.style }, missing: [] };
  }
  return descent;
}

function wrap(path: EditPath, added: Added): Added {
  return path.reduceRight<Added>((inner, step) => ({ [String(step)]: inner }), added);
}

/** The value the file should have after the edit. */
function changed(value: unknown, edit: Edit): unknown {
  const [step] = edit.kind === "add" ? edit.path : edit.path.slice(0, -1);
  if (step !== undefined) {
    const inner = changed(memberOf(value, step), { ...edit, path: edit.path.slice(1) });
    if (Array.isArray(value)) return value.with(Number(step), inner);
    return { ...asMap(value), [String(step)]: inner };
  }
  if (edit.kind === "add" && Array.isArray(edit.added)) return [...(Array.isArray(value) ? value : []), ...edit.added];
  if (edit.kind === "add") return { ...asMap(value), ...asMap(edit.added) };
  const last = edit.path.at(-1) ?? "";
  if (edit.kind === "replace") return { ...asMap(value), [String(last)]: edit.value };
  if (Array.isArray(value)) return value.filter((_item, index) => index !== last);
  return Object.fromEntries(Object.entries(asMap(value)).filter(([key]) => key !== last));
}

function memberOf(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return asMap(value)[String(step)];
}

function asMap(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Compares the order of keys too, since the later of two servers wins. A null equals an empty map or list. */
function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(toEntries(a), toEntries(b));
}

function toEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(toEntries);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, toEntries(member)]);
  return entries.length === 0 ? null : entries;
}
