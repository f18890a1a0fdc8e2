import type { ContentBlock as AcpBlock, ToolCallContent } from "@agentclientprotocol/sdk";
import type { CallOutcome, ContentBlock, Json, ToolResult } from "@tacklebox/core";
import { isObject } from "../rpc/is-object.ts";

export interface ToolOutput {
  readonly content: ToolCallContent[];
  readonly rawOutput?: Json;
}

/** Many clients limit a message to 32 MiB, and the content is in it twice. */
const MAX_SHOWN_CHARACTERS = 4 * 1024 * 1024;

/** Converts the outcome of a call for the editor. ACP uses MCP's content blocks; unknown ones are shown as JSON. */
export function toToolOutput(outcome: CallOutcome, text: string): ToolOutput {
  const result = outcome.status === "success" ? outcome.result : outcome.failure.result;
  if (result === undefined) return { content: [toText(text)], ...failureOf(outcome) };
  const size = JSON.stringify(result).length;
  if (size > MAX_SHOWN_CHARACTERS) {
    const where = `It is kept in the call log: tacklebox calls --json --tool ${outcome.ref?.name ?? outcome.shownName}`;
    return { content: [toText(`The result has ${size} characters, too many to show here. ${where}`)] };
  }
  return { content: result.content.map(toBlock), rawOutput: toRaw(result) };
}

export function toText(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

function failureOf(outcome: CallOutcome): { rawOutput?: Json } {
  if (outcome.status === "success") return {};
  const { ending, message } = outcome.failure;
  return { rawOutput: { ending, message } };
}

function toRaw({ content, structuredContent, isError }: ToolResult): Json {
  return { content, ...(structuredContent !== undefined && { structuredContent }), ...(isError && { isError }) };
}

function toBlock(block: ContentBlock): ToolCallContent {
  return isAcpBlock(block) ? { type: "content", content: block } : toText(JSON.stringify(block));
}

/** Checks that the members required by ACP are there and have the right types. */
function isAcpBlock(block: ContentBlock): block is ContentBlock & AcpBlock {
  const { annotations = {}, _meta = {} } = block;
  if (!isObject(annotations) || !isObject(_meta)) return false;
  if (block.type === "text") return hasTexts(block, "text");
  if (block.type === "image" || block.type === "audio") return hasTexts(block, "data", "mimeType");
  if (block.type === "resource_link") return hasTexts(block, "uri", "name");
  const { resource } = block;
  if (block.type !== "resource" || !isObject(resource)) return false;
  return hasTexts(resource, "uri") && (hasTexts(resource, "text") || hasTexts(resource, "blob"));
}

function hasTexts(value: Readonly<Record<string, unknown>>, ...keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === "string");
}
