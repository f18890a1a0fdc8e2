import type { JsonSchema } from "@tacklebox/core";

interface FormattableTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

interface OpenAiTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
}

interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

/** Tools in a provider's own shape, schemas untouched; none for a provider it does not know (S1.34). */
export function formatToolsForProvider(tools: readonly FormattableTool[], provider: "openai"): OpenAiTool[];
export function formatToolsForProvider(tools: readonly FormattableTool[], provider: "anthropic"): AnthropicTool[];
export function formatToolsForProvider(
  tools: readonly FormattableTool[],
  provider: string,
): (OpenAiTool | AnthropicTool)[];
export function formatToolsForProvider(
  tools: readonly FormattableTool[],
  provider: string,
): (OpenAiTool | AnthropicTool)[] {
  if (provider === "openai") {
    return tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    }));
  }
  if (provider === "anthropic") {
    return tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
  }
  return [];
}
