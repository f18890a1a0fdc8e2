import { describe, expect, it } from "vitest";
import { parseToolList } from "./parse-tool-list.ts";

const good = { name: "good", inputSchema: { type: "object", properties: { a: { type: "string" } } } };

describe("parseToolList", () => {
  it("D.14 quarantines one bad tool with its reason and keeps the rest", () => {
    const { tools, quarantined } = parseToolList([good, { name: "bad", inputSchema: { type: "string" } }, 42]);
    expect(tools.map(({ name }) => name)).toEqual(["good"]);
    expect(quarantined).toEqual([
      { name: "bad", reason: 'inputSchema must be a JSON Schema of type "object"' },
      { name: "#3", reason: "the entry is not an object" },
    ]);
  });

  it("T1.5 accepts a list of types and keeps everything the server sent", () => {
    const raw = {
      name: "think",
      title: "Think",
      description: "thinks",
      inputSchema: { type: "object", $schema: "x", properties: { next: { type: ["boolean", "string"], minimum: 1 } } },
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
      unknownField: 1,
    };
    const [tool] = parseToolList([raw]).tools;
    expect(tool).toEqual({
      name: "think",
      title: "Think",
      description: "thinks",
      inputSchema: raw.inputSchema,
      outputSchema: raw.outputSchema,
      annotations: raw.annotations,
      raw,
    });
  });

  it("fills in what S2's servers omit: description and parameters", () => {
    const [tool] = parseToolList([{ name: "bare" }]).tools;
    expect(tool).toMatchObject({ description: "", inputSchema: { type: "object", properties: {} } });
  });

  it("D.2 keeps the last of two tools with the same name, and reports it", () => {
    const { tools, quarantined } = parseToolList([
      { ...good, description: "old" },
      { ...good, description: "new" },
    ]);
    expect(tools.map(({ description }) => description)).toEqual(["new"]);
    expect(quarantined).toEqual([{ name: "good", reason: "listed more than once; the last definition is used" }]);
  });

  it.each([
    [{ name: "" }, "the tool has no name"],
    [{ name: 7 }, "the tool has no name"],
    [{ name: "x".repeat(600) }, "its name is longer than 512 characters"],
    [{ name: "x", inputSchema: null }, 'inputSchema must be a JSON Schema of type "object"'],
    [{ name: "x", outputSchema: { type: "thing" } }, "outputSchema /type is not a JSON Schema type"],
    [
      { name: "x", inputSchema: { type: "object", properties: { a: { type: "strin" } } } },
      "inputSchema /properties/a/type is not a JSON Schema type",
    ],
  ])("quarantines %j", (entry, reason) => {
    expect(parseToolList([entry]).quarantined[0]?.reason).toBe(reason);
  });
});
