import type { RegisteredTool, Tool } from "../domain/tool.ts";
import type { ModelTool } from "../ports/model.ts";

export function toModelTool({ shownName, tool }: RegisteredTool): ModelTool {
  return { name: shownName, description: tool.description, inputSchema: tool.inputSchema };
}

/** Measured on the definitions of real tools, whose names and schemas are mostly plain words. */
const CHARACTERS_PER_TOKEN = 4;
/** Vendors' tokenizers are trained mostly on English: in other scripts, nearly every character is a token. */
const NON_LATIN = /[^\p{ASCII}\p{sc=Latin}\p{P}]/gu;

const TOKENS_PER_NON_LATIN = 0.7;

/** Each definition is measured once: with ten thousand tools, measuring takes longer than choosing. */
const measured = new WeakMap<Tool, number>();

/** Estimates how many tokens of a request the definitions of these tools take. */
export function definitionTokens(tools: readonly RegisteredTool[]): number {
  return tools.reduce((sum, tool) => sum + tokensOf(tool), 0);
}

function tokensOf(tool: RegisteredTool): number {
  const known = measured.get(tool.tool);
  if (known !== undefined) return known;
  const text = JSON.stringify(toModelTool(tool));
  const nonLatin = text.match(NON_LATIN)?.length ?? 0;
  const tokens = Math.ceil((text.length - nonLatin) / CHARACTERS_PER_TOKEN + nonLatin * TOKENS_PER_NON_LATIN);
  measured.set(tool.tool, tokens);
  return tokens;
}
