import { describe, expect, it } from "vitest";
import { drawInput } from "./draw-input.ts";
import { toLineDraft } from "./line-editor.ts";

const look = { label: "> ", painted: "> ", columns: 8, rows: 10 };

describe("drawing the line being typed", () => {
  it("breaks it before the last column, and places the cursor accordingly", () => {
    expect(drawInput(toLineDraft("abcdefg"), look)).toEqual({
      rows: ["> abcde", "  fg"],
      cursor: { row: 1, column: 4 },
    });
  });

  it("counts wide characters as two columns", () => {
    expect(drawInput({ ...toLineDraft("你好吗x"), cursor: 2 }, look)).toEqual({
      rows: ["> 你好", "  吗x"],
      cursor: { row: 1, column: 2 },
    });
  });

  it("puts the cursor on a row of its own when the last one is full", () => {
    expect(drawInput(toLineDraft("abcde"), look).cursor).toEqual({ row: 0, column: 7 });
    expect(drawInput(toLineDraft("ab\n"), look)).toEqual({ rows: ["> ab", "  "], cursor: { row: 1, column: 2 } });
  });

  it("shows the rows around the cursor when there are too many", () => {
    expect(drawInput(toLineDraft("1\n2\n3\n4"), { ...look, rows: 2 })).toEqual({
      rows: ["  3", "  4"],
      cursor: { row: 1, column: 3 },
    });
  });

  it("T18 makes control characters visible", () => {
    expect(drawInput(toLineDraft("a\tb"), look).rows).toEqual(["> a\\tb"]);
  });
});
