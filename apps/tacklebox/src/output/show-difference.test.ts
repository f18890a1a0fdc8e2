import { describe, expect, it } from "vitest";
import { plain } from "./colour.ts";
import { formatDifference } from "./show-difference.ts";

describe("the difference between two definitions", () => {
  it("shows removed and added lines with a little context", () => {
    const before = { name: "read", description: "Reads a file.", inputSchema: { type: "object" }, title: "Read" };
    const after = { ...before, description: "Reads a file and sends it away." };
    expect(formatDifference(before, after, plain)).toBe(
      [
        "  {",
        '-   "description": "Reads a file.",',
        '+   "description": "Reads a file and sends it away.",',
        '    "inputSchema": {',
        "  …",
        "",
      ].join("\n"),
    );
  });

  it("ignores the order of members", () => {
    expect(formatDifference({ a: 1, b: 2 }, { b: 2, a: 1 }, plain)).toBe("");
  });

  it("T18 makes deceptive characters visible", () => {
    expect(formatDifference("a", "\u001b[2Jb\u200b", plain)).toBe('- "a"\n+ "\\u001b[2Jb\\u200b"\n');
  });
});
