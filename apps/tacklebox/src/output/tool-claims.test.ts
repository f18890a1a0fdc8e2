import { describe, expect, it } from "vitest";
import { toolClaims } from "./tool-claims.ts";

describe("what a server claims about its tool", () => {
  it.each([
    [undefined, "The server does not say whether it writes."],
    ["nonsense", "The server does not say whether it writes."],
    [{ readOnlyHint: "yes" }, "The server does not say whether it writes."],
    [{ readOnlyHint: true }, "The server says it only reads."],
    [{ readOnlyHint: true, destructiveHint: true, idempotentHint: true }, "The server says it only reads."],
    [{ readOnlyHint: false }, "The server says it changes things."],
    [
      { readOnlyHint: false, idempotentHint: true },
      "The server says it changes things (repeating it changes nothing more).",
    ],
    [{ destructiveHint: false }, "The server says it changes things but destroys no data."],
    [{ destructiveHint: true }, "The server says it may destroy data."],
    [
      { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      "The server says it may destroy data and reaches out to other systems.",
    ],
    [{ openWorldHint: true }, "The server says it reaches out to other systems, but not whether it writes."],
    [{ openWorldHint: false }, "The server does not say whether it writes."],
  ])("%j: %s", (annotations, text) => {
    expect(toolClaims({ name: "t", ...(annotations !== undefined && { annotations }) }).text).toBe(text);
  });

  it("is a warning only where the server itself warns", () => {
    const isWarning = (annotations: Record<string, boolean>) => toolClaims({ annotations }).isWarning;
    expect(isWarning({ destructiveHint: true })).toBe(true);
    expect(isWarning({ destructiveHint: true, readOnlyHint: true })).toBe(false);
    expect(isWarning({})).toBe(false);
  });

  it("quotes a title that is not the name, on one printable line", () => {
    const annotations = { title: "Write\n\u001b[31mFile", readOnlyHint: false };
    expect(toolClaims({ name: "write_file", annotations }).text).toBe(
      'The server calls it "Write\\n\\x1b[31mFile" and says it changes things.',
    );
    expect(toolClaims({ name: "write", title: "write" }).text).toBe("The server does not say whether it writes.");
    expect(toolClaims({ name: "write", title: "x".repeat(100) }).text).toBe(
      `The server calls it "${"x".repeat(59)}…" and does not say whether it writes.`,
    );
  });
});
