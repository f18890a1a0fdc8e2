import type { ContentBlock, ToolResult } from "../domain/call.ts";
import { isJsonObject, type Json } from "../json/json.ts";
import type { Hasher } from "../ports/hasher.ts";
import { cutToJsonBytes, formatBytes, utf8Bytes } from "../text/text-size.ts";
import { mostBytes } from "./most-bytes.ts";
import { blockText } from "./result-text.ts";

/** A whole result of which the record keeps a part: its size and hash, taken from its JSON as the caller got it. */
export interface WholeResult {
  readonly bytes: number;
  readonly sha256: string;
}

/** The key in the `_meta` of a result that was cut. Only this file writes it: a server's own is taken out. */
const WHOLE_MARK = "tacklebox/whole";

/** Set aside for what is added to a cut result. */
const NOTE_BYTES = 640;
/** Cutting a text to less than this leaves nothing worth reading. */
const SHORTEST_BYTES = 64;

/**
 * Returns what the record keeps of a result: all of it, or a result of at most `limit` bytes that says what is missing.
 * A promise only if it has to be cut, which hardly any result has. `most`: see mostBytes.
 */
export function keepResult(
  result: ToolResult,
  limit: number,
  hasher: Hasher,
  most = mostBytes(result),
): ToolResult | Promise<ToolResult> {
  if (most <= limit) return result;
  const own = withoutMark(result);
  const json = JSON.stringify(own);
  const bytes = json.length * 3 <= limit ? json.length : utf8Bytes(json);
  if (bytes <= limit) return own;
  return hasher.sha256(json).then((sha256) => cutResult(own, limit, { bytes, sha256 }));
}

/** Cuts the text of a failure like that of a result. */
export function keepError(text: string, limit: number): string {
  if (text.length * 6 <= limit) return text;
  const kept = cutToJsonBytes(text, limit);
  return kept === text ? text : `${kept}\n[Only the first ${kept.length} of ${text.length} characters were kept]`;
}

/** What a kept result was cut from; undefined if it is whole. */
export function wholeOf({ meta }: ToolResult): WholeResult | undefined {
  const mark = meta?.[WHOLE_MARK];
  if (!isJsonObject(mark) || typeof mark.bytes !== "number" || typeof mark.sha256 !== "string") return undefined;
  return { bytes: mark.bytes, sha256: mark.sha256 };
}

function withoutMark(result: ToolResult): ToolResult {
  if (result.meta?.[WHOLE_MARK] === undefined) return result;
  const { [WHOLE_MARK]: _forged, ...meta } = result.meta;
  return { ...result, meta };
}

/** Blocks are kept in order as long as they fit; a text is cut, and anything else that does not fit becomes a note. */
function cutResult({ content, structuredContent, meta, isError }: ToolResult, limit: number, whole: WholeResult) {
  const kept: ContentBlock[] = [];
  let left = limit - NOTE_BYTES;
  for (const block of content) {
    if (left < SHORTEST_BYTES) break;
    const part = fitBlock(block, left) ?? fitBlock(text(`[${missingText(block)} not kept]`), left);
    if (part === undefined) continue;
    kept.push(part);
    left -= bytesOf(part);
  }
  const structured = fitStructured(structuredContent, kept, left);
  left -= bytesOf(structured);
  const keepsMeta = meta !== undefined && bytesOf(meta) <= left;
  const result: ToolResult = {
    content: [...kept, ...("block" in structured ? [structured.block] : []), text(wholeText(limit, whole))],
    ...("value" in structured && { structuredContent: structured.value }),
    isError,
    meta: { ...(keepsMeta && meta), [WHOLE_MARK]: { ...whole } },
  };
  return result;
}

function fitBlock(block: ContentBlock, left: number): ContentBlock | undefined {
  const whole = bytesOf(block);
  if (whole <= left) return block;
  if (typeof block.text === "string") return withText(block, block.text, left - bytesOf({ ...block, text: "" }));
  const { resource } = block;
  if (!isJsonObject(resource) || typeof resource.text !== "string") return undefined;
  const around = bytesOf({ ...block, resource: { ...resource, text: "" } });
  const part = withText(resource, resource.text, left - around);
  return part === undefined ? undefined : { ...block, resource: part };
}

function withText<T extends object>(holder: T, whole: string, left: number): (T & { text: string }) | undefined {
  return left < SHORTEST_BYTES ? undefined : { ...holder, text: cutToJsonBytes(whole, left) };
}

type Structured = { readonly value: Json } | { readonly block: ContentBlock } | Record<string, never>;

/** A part of a value is not a value any more: kept whole, or as text if there is no other text to read. */
function fitStructured(value: Json | undefined, kept: readonly ContentBlock[], left: number): Structured {
  if (value === undefined) return {};
  if (bytesOf(value) <= left) return { value };
  if (kept.some(({ type }) => type === "text") || left < SHORTEST_BYTES * 2) return {};
  return { block: text(cutToJsonBytes(JSON.stringify(value), left - SHORTEST_BYTES)) };
}

function missingText(block: ContentBlock): string {
  return `${cutToJsonBytes(blockText(block).replace(/^\[|\]$/g, ""), 200)},`;
}

function wholeText(limit: number, { bytes, sha256 }: WholeResult): string {
  return `[Kept ${formatBytes(limit)} of this result, which has ${formatBytes(bytes)}. SHA-256 of all of it: ${sha256}]`;
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}

function bytesOf(value: Json | object): number {
  return utf8Bytes(JSON.stringify(value)) + 1;
}
