import type { RegisteredTool, Tool } from "../domain/tool.ts";
import type { ModelTool } from "../ports/model.ts";

export function toModelTool({ shownName, tool }: RegisteredTool): ModelTool {
  return { name: shownName, description: tool.description, inputSchema: tool.inputSchema };
}

/** Of the definitions of real tools: names and schemas are mostly plain words. */
const CHARACTERS_PER_TOKEN = 4;
/** Vendors' tokenizers were fed with English: of other scripts, nearly every character is a token. */
const FOREIGN = /[^\p{ASCII}\p{sc=Latin}\p{P}]/gu;

const TOKENS_PER_FOREIGN = 0.7;

/** A definition is measured once: among ten thousand tools, measuring takes longer than choosing. */
const measured = new WeakMap<Tool, number>();

/** What the definitions of these tools take of a request, roughly. */
export function definitionTokens(tools: readonly RegisteredTool[]): number {
  return tools.reduce((sum, tool) => sum + tokensOf(tool), 0);
}

function tokensOf(tool: RegisteredTool): number {
  const known = measured.get(tool.tool);
  if (known !== undefined) return known;
  const text = JSON.stringify(toModelTool(tool));
  const foreign = text.match(FOREIGN)?.length ?? 0;
  const tokens = Math.ceil((text.length - foreign) / CHARACTERS_PER_TOKEN + foreign * TOKENS_PER_FOREIGN);
  measured.set(tool.tool, tokens);
  return tokens;
}
