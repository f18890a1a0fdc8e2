import { isJsonObject, type Json, type JsonObject, type JsonSchema, mirroredArguments } from "@tacklebox/core";
import { base64 } from "./base64.ts";

/** The headers that repeat the arguments marked with `x-mcp-header` (revision 2026-07-28 over HTTP). */
export function paramHeaders(schema: JsonSchema, args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of mirroredArguments(schema)) {
    const text = primitiveText(valueAt(args, path));
    if (text !== undefined) headers[header] = encodeHeaderValue(text);
  }
  return headers;
}

/** Returns the text itself if HTTP can carry it unchanged, otherwise the protocol's base64 form. */
export function encodeHeaderValue(text: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/s.test(text);
  return plain ? text : `=?base64?${base64(text)}?=`;
}

function valueAt(root: JsonObject, path: readonly string[]): Json | undefined {
  let node: Json | undefined = root;
  for (const name of path) {
    if (!isJsonObject(node) || !Object.hasOwn(node, name)) return undefined;
    node = node[name];
  }
  return node;
}

function primitiveText(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}
