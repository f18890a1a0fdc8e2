import type { JsonObject } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { formatChangedTool } from "./changed-definition.ts";
import { plain } from "./colour.ts";

function shown(before: JsonObject | undefined, definition: JsonObject): string {
  const tool = { tool: "a", fingerprint: "f", definition, ...(before !== undefined && { before }) };
  return formatChangedTool(tool, "s", plain);
}

const schema = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  inputSchema: { type: "object", properties, required },
});

describe("a changed definition", () => {
  it("names what was added to, removed from and changed in its parameters", () => {
    const before = schema({ kept: { type: "string" }, gone: { type: "number" }, now: { type: "string" } });
    const after = schema({ kept: { type: "string" }, now: { type: "string" }, more: true }, ["now"]);
    expect(shown(before, after)).toBe(
      [
        "Tool 'a' of server 's' changed:",
        "  parameters",
        '    - gone: {"type":"number","required":false}',
        "    now",
        "      required: false → true",
        '    + more: {"schema":true,"required":false}',
        "",
      ].join("\n"),
    );
  });

  it("shows what belongs to no part as JSON, and an output schema that is gone", () => {
    const before = { title: "Old", inputSchema: { type: "object" }, outputSchema: { type: "object" } };
    const after = { title: "New", inputSchema: { type: "object", additionalProperties: false } };
    expect(shown(before, after)).toBe(
      [
        "Tool 'a' of server 's' changed:",
        "  the rest of the input schema",
        "      {",
        '    +   "additionalProperties": false,',
        '        "type": "object"',
        "      …",
        "  output schema",
        "    - {",
        '    -   "type": "object"',
        "    - }",
        "  everything else",
        "      {",
        '    -   "title": "Old"',
        '    +   "title": "New"',
        "      }",
        "",
      ].join("\n"),
    );
  });

  it("is shown whole if the accepted one was not kept", () => {
    expect(shown(undefined, { name: "a" })).toBe(
      [
        "Tool 'a' of server 's' changed:",
        "  The accepted definition was not kept, so nothing can be compared. The new one:",
        "    {",
        '      "name": "a"',
        "    }",
        "",
      ].join("\n"),
    );
  });

  it("T18 makes everything that a server wrote visible, and lets a terminal obey none of it", () => {
    const hostile = "\u001b[2J\u202e\u{e0041}";
    const after = {
      description: `Reads.\r${hostile}`,
      ...schema({ [hostile]: { description: hostile } }),
      annotations: { title: hostile, constructor: hostile },
      outputSchema: { title: hostile },
      [hostile]: hostile,
    };
    const text = shown({ description: "Reads.", ...schema({}), annotations: { title: "Reads" } }, after);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\u{e0041}]/u);
    expect(text).toContain("    + Reads.\\x0d\\x1b[2J\\u202e\\u{e0041}\n".replace("\\x0d", "\\r"));
  });
});
