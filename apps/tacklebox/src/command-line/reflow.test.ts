import { describe, expect, it } from "vitest";
import { reflow } from "./reflow.ts";

describe("a help text in the lines of a terminal", () => {
  it("joins the lines of a paragraph and breaks them where they fit", () =>
    expect(reflow("one two\nthree four five\n\nsix", 13)).toBe("one two three\nfour five\n\nsix"));

  it("leaves indented lines as they are, and indents what they go on with", () =>
    expect(reflow("see:\n  tacklebox x\n  a long line of words\nand so on", 14)).toBe(
      "see:\n  tacklebox x\n  a long line\n    of words\nand so on",
    ));

  it("joins the lines of a JSON shape", () =>
    expect(reflow("  { a,\n    b: 1 |\n    2 }\n    a = x", 80)).toBe("  { a, b: 1 | 2 }\n    a = x"));

  it("keeps a word that is wider than the terminal whole", () =>
    expect(reflow("a https://example.com/long b", 10)).toBe("a\nhttps://example.com/long\nb"));
});
