import {
  ConnectionError,
  type ContentBlock,
  isJsonObject,
  type Json,
  type JsonObject,
  type ToolResult,
} from "@tacklebox/core";

/** Reads the result of `tools/call` leniently: what is unknown is kept, what is missing is empty. */
export function toToolResult(result: JsonObject): ToolResult {
  refuseUnfinished(result);
  const { structuredContent, _meta: meta } = result;
  const plain = { content: contentBlocks(result), isError: result.isError === true };
  if (structuredContent === undefined && meta === undefined) return plain;
  return {
    ...plain,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isJsonObject(meta) ? { meta } : {}),
  };
}

/** Answers that ask for another round: the call did not end and nobody here can give what is asked. */
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

/** One content block; what is none becomes text. */
export function toBlock(entry: Json): ContentBlock {
  if (isBlock(entry)) return entry;
  return { type: "text", text: typeof entry === "string" ? entry : JSON.stringify(entry) };
}

function isBlock(entry: Json): entry is ContentBlock {
  return isJsonObject(entry) && typeof entry.type === "string";
}
