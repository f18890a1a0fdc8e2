import { describe, expect, it } from "vitest";
import { foldHint } from "./read-line.ts";

describe("what Tab offers", () => {
  it("takes as many rows as it needs, and never splits a name", () => {
    expect(foldHint("Ctrl-C again to quit", 39)).toEqual(["Ctrl-C again to quit"]);
    expect(foldHint("read_file  read_media_file  read_text_file", 28)).toEqual([
      "read_file  read_media_file",
      "read_text_file",
    ]);
  });

  it("marks that there is more when four rows are not enough", () => {
    const rows = foldHint(Array.from({ length: 30 }, (_, at) => `tool_${at}`).join("  "), 20);
    expect(rows).toHaveLength(4);
    expect(rows.at(-1)).toMatch(/…$/);
    expect(foldHint("a_name_that_is_longer_than_the_terminal", 10)).toEqual(["a_name_th…"]);
  });
});
