import { isJsonObject, type Json, type JsonObject, type JsonSchema } from "@tacklebox/core";
import { base64 } from "./base64.ts";

interface MirroredParam {
  readonly path: readonly string[];
  readonly header: string;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MIRRORED_TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "number", "boolean"]);
const MAX_DEPTH = 32;

const mirroredOf = new WeakMap<JsonSchema, readonly MirroredParam[]>();

/** The headers that repeat the arguments marked with `x-mcp-header` (revision 2026-07-28 over HTTP). */
export function paramHeaders(schema: JsonSchema, args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of mirroredParams(schema)) {
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

function mirroredParams(schema: JsonSchema): readonly MirroredParam[] {
  const known = mirroredOf.get(schema);
  if (known !== undefined) return known;
  const found: MirroredParam[] = [];
  collect(schema, [], found);
  mirroredOf.set(schema, found);
  return found;
}

/** Honours marks only on properties reached through `properties` alone, where the argument's path is unambiguous. */
function collect(schema: JsonSchema, path: readonly string[], found: MirroredParam[]): void {
  if (!isJsonObject(schema.properties) || path.length >= MAX_DEPTH) return;
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!isJsonObject(property)) continue;
    const mark = property["x-mcp-header"];
    if (typeof mark === "string" && TOKEN.test(mark) && MIRRORED_TYPES.has(property.type)) {
      found.push({ path: [...path, name], header: `mcp-param-${mark.toLowerCase()}` });
    }
    collect(property, [...path, name], found);
  }
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
