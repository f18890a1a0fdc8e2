import { expect, it } from "vitest";
import type { RegisteredTool } from "../domain/tool.ts";
import { definitionTokens } from "./tool-tokens.ts";

function tokensOf(description: string): number {
  const tool: RegisteredTool = {
    ref: { scope: "agent", server: "s", name: "t" },
    shownName: "t",
    tool: { name: "t", description, inputSchema: {}, raw: {} },
    limits: { maxInstances: 1, timeoutMs: 1 },
    configuredBy: "default",
    include: "always",
  };
  return definitionTokens([tool]);
}

it("counts a character of a script that is not Latin as nearly a token, four others as one", () => {
  const empty = tokensOf("");
  expect(tokensOf("weather ".repeat(100)) - empty).toBeCloseTo(200, -1);
  expect(tokensOf("météo à Zürich. ".repeat(50)) - empty).toBeCloseTo(200, -1);
  expect(tokensOf("天气预报".repeat(100)) - empty).toBeCloseTo(280, -1);
  expect(tokensOf("погода ".repeat(100)) - empty).toBeGreaterThan(300);
});
