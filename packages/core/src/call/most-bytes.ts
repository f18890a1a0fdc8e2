import type { ToolResult } from "../domain/call.ts";

/**
 * How many bytes the JSON of a result has at most. Known only for a few short texts and nothing else, which is what
 * most results are; Infinity for all others, which have to be serialized to tell.
 */
export function mostBytes({ content, structuredContent, meta }: ToolResult): number {
  if (structuredContent !== undefined || meta !== undefined || content.length > MAX_BLOCKS) return Infinity;
  let most = AROUND_TEXTS;
  for (const block of content) {
    const { type, text } = block;
    if (typeof text !== "string" || Object.keys(block).length !== 2) return Infinity;
    // If all of their characters are escaped.
    most += 6 * (type.length + text.length);
  }
  return most;
}

const MAX_BLOCKS = 4;
/** Names and punctuation. */
const AROUND_TEXTS = MAX_BLOCKS * 64;
