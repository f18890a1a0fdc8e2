import type { CallOutcome, CallRecord, ContentBlock, ToolResult } from "../domain/call.ts";
import { isJsonObject } from "../json/json.ts";

/**
 * The text that a model or a script gets for a call. A failure that is not the tool's own begins with `MCP error: `.
 */
export function toResultText(outcome: CallOutcome): string {
  if (outcome.status === "success") return toText(outcome.result);
  const { failure } = outcome;
  if (failure.ending === "tool-error" && failure.result !== undefined) return toText(failure.result);
  return `${FAILED}${failure.message}`;
}

const FAILED = "MCP error: ";

/** The same text, taken from a call's record; undefined if the call is not over or the record has lost its result. */
export function recordText({ status, ending, result, error }: CallRecord): string | undefined {
  if (result !== undefined && (status === "success" || ending === "tool-error")) return toText(result);
  return status === "error" && error !== undefined ? `${FAILED}${error}` : undefined;
}

/** Joins text blocks with newlines; every other block becomes a line that says what it is. */
export function toText({ content, structuredContent }: ToolResult): string {
  const lines = content.map(blockText);
  const hasText = content.some((block) => block.type === "text");
  if (!hasText && structuredContent !== undefined) return [JSON.stringify(structuredContent), ...lines].join("\n");
  return lines.join("\n");
}

/** One block as text: what it says, or what it is. */
export function blockText(block: ContentBlock): string {
  if (block.type === "text" && typeof block.text === "string") return block.text;
  if (block.type === "resource_link" && typeof block.uri === "string") return block.uri;
  if (block.type === "resource") return resourceText(block);
  const kind = typeof block.mimeType === "string" ? `${block.type}, ${block.mimeType}` : block.type;
  return `[${kind}${sizeText(block)}]`;
}

function resourceText({ resource }: ContentBlock): string {
  if (!isJsonObject(resource)) return "[resource]";
  if (typeof resource.text === "string") return resource.text;
  return typeof resource.uri === "string" ? resource.uri : "[resource]";
}

// Base64 carries three bytes in four characters.
function sizeText({ data }: ContentBlock): string {
  return typeof data === "string" ? `, ${Math.floor((data.length * 3) / 4)} bytes` : "";
}
