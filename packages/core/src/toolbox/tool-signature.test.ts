import { describe, expect, it } from "vitest";
import type { RegisteredTool } from "../domain/tool.ts";
import type { JsonSchema } from "../json/json.ts";
import { toFullText, toSignature } from "./tool-signature.ts";

function tool(description: string, inputSchema: JsonSchema): RegisteredTool {
  return {
    ref: { scope: "agent", server: "shop", name: "find.order" },
    shownName: "find_order",
    tool: { name: "find.order", description, inputSchema, raw: {} },
    limits: { maxInstances: 1, timeoutMs: 1 },
    configuredBy: "default",
    include: "always",
  };
}

describe("a tool in one line", () => {
  it("has its server and shown name, its parameters with what is needed first, and one sentence", () => {
    const properties = {
      page: { type: "integer" },
      id: { type: "string" },
      state: { enum: ["open", "paid", 3, null, "lost"] },
      tags: { type: "array", items: { type: "string" } },
      rows: { type: "array" },
      odd: true,
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
    };
    const found = tool("Finds an order. By its id.\nMore.", { type: "object", properties, required: ["id"] });
    expect(toSignature(found)).toBe(
      'shop/find_order(id: string, page?: integer, state?: "open"|"paid"|3|null|…, tags?: string[], rows?: any[], odd?: any, either?: any) - Finds an order.',
    );
    expect(toSignature(tool("", { type: "object" }))).toBe("shop/find_order()");
  });

  it("stays one short line, whatever the server wrote", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        `p${index}\u202e\n${"x".repeat(1_000)}`,
        { type: "x\u0007".repeat(99) },
      ]),
    );
    const line = toSignature(tool(`\u001b[31mevil\u200b ${"y".repeat(100_000)}`, { properties, required: "no" }));
    expect(line.length).toBeLessThan(1_500);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(line).toMatch(/^shop\/find_order\(p0 x+…\?: x x .*, …\) - \[31mevil y+…$/u);
  });

  it("splits no surrogate pair", () => {
    expect(toSignature(tool(`${"x".repeat(158)}😀😀`, {}))).toBe(`shop/find_order() - ${"x".repeat(158)}…`);
  });
});

describe("a tool as a whole", () => {
  it("has all of its description and its schema", () => {
    const schema = { type: "object", properties: { id: { type: "string", description: "Of the order" } } };
    expect(toFullText(tool("Finds an order.\nBy its id.", schema))).toBe(
      `shop/find_order\nFinds an order.\nBy its id.\nParameters: ${JSON.stringify(schema)}`,
    );
  });

  it("is bounded in length", () => {
    const properties = Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`property-${index}`, {}]));
    const text = toFullText(tool("z".repeat(100_000), { properties }));
    expect(text.length).toBeLessThan(5_000);
    expect(text).toMatch(/Parameters: \(property-0\?: any, .*, …\), and more$/);
  });
});
