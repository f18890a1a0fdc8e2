import { expect, it } from "vitest";
import { formatToolsForProvider } from "./format-tools.ts";

const inputSchema = { type: "object", oneOf: [{ required: ["a"] }] };
const tools = [{ name: "echo", description: "Says it again", inputSchema }];

it("S1.34 formats tools for OpenAI and for Anthropic, and returns none for any other provider", () => {
  expect(formatToolsForProvider(tools, "openai")).toEqual([
    { type: "function", function: { name: "echo", description: "Says it again", parameters: inputSchema } },
  ]);
  expect(formatToolsForProvider(tools, "anthropic")).toEqual([
    { name: "echo", description: "Says it again", input_schema: inputSchema },
  ]);
  expect(formatToolsForProvider(tools, "ollama")).toEqual([]);
});
