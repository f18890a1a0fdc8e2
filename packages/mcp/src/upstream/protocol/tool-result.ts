import {
  ConnectionError,
  type ContentBlock,
  isJsonObject,
  type Json,
  type JsonObject,
  type ToolResult,
} from "@tacklebox/core";
import { withoutForgedMarks } from "./limits/parse-message.ts";

/** Parses the result of `tools/call` leniently: unknown content is kept, missing content becomes empty. */
export function toToolResult(result: JsonObject): ToolResult {
  refuseUnfinished(result);
  const { structuredContent, _meta: meta } = result;
  const plain = { content: contentBlocks(result), isError: result.isError === true };
  if (structuredContent === undefined && meta === undefined) return plain;
  return {
    ...plain,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isJsonObject(meta) ? { meta: withoutForgedMarks(meta) } : {}),
  };
}

/** Throws for a result that does not end the call, since nothing here can continue it. */
function refuseUnfinished({ resultType }: JsonObject): void {
  if (resultType === undefined || resultType === "complete") return;
  throw new ConnectionError("protocol-error", unfinishedText(resultType));
}

function unfinishedText(resultType: Json): string {
  if (resultType === "input_required") return "The server asks for input during the call, which nobody can give here.";
  if (resultType === "task") return "The server turned the call into a background task, which cannot be followed here.";
  return "The server answered with a kind of result that is not known here; update this program or the server.";
}

function contentBlocks({ content, toolResult }: JsonObject): readonly ContentBlock[] {
  if (Array.isArray(content)) return content.map(toBlock);
  // Servers of revision 2024-10-07 answer with one value instead of content.
  return toolResult === undefined ? [] : [toBlock(toolResult)];
}

/** Returns the entry as a content block; anything that is not a block becomes text. */
export function toBlock(entry: Json): ContentBlock {
  if (isBlock(entry)) return entry;
  return { type: "text", text: typeof entry === "string" ? entry : JSON.stringify(entry) };
}

function isBlock(entry: Json): entry is ContentBlock {
  return isJsonObject(entry) && typeof entry.type === "string";
}
