import { describe, expect, it } from "vitest";
import { choosePaint } from "./colour.ts";
import { formatTable } from "./table.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

describe("formatTable", () => {
  it("aligns columns and leaves no blanks at the end of lines", () => {
    const table = formatTable(
      ["NAME", "STATUS", "CAUSE"],
      [
        ["files", "connected", ""],
        ["a", "error", "refused"],
      ],
    );
    expect(table).toBe("NAME   STATUS     CAUSE\nfiles  connected\na      error      refused\n");
  });

  it("counts wide characters as two columns", () => {
    expect(formatTable(["A", "B"], [["你好", "x"]])).toBe("A     B\n你好  x\n");
  });

  it("cuts the last column to the terminal's width", () => {
    const style = { paint: choosePaint(false, {}), columns: 20 };
    expect(formatTable(["A", "B"], [["abc", "a long description of it"]], style)).toBe(
      "A    B\nabc  a long descrip…\n",
    );
  });

  it("T18 keeps a cell on its line whatever is in it", () => {
    expect(formatTable(["A"], [["x\n\u001b[2Jy"]])).toBe("A\nx\\n\\x1b[2Jy\n");
  });

  it("colours cells without moving the columns", () => {
    const style = { paint: choosePaint(true, {}), columns: 80 };
    const table = formatTable(["A", "B"], [[{ text: "ok", colour: "green" }, "x"]], style);
    expect(table).toBe("\u001b[1mA\u001b[0m   \u001b[1mB\u001b[0m\n\u001b[32mok\u001b[0m  x\n");
  });
});

describe("choosePaint", () => {
  it.each([
    ["output is not a terminal", false, {}],
    ["NO_COLOR is set", true, { NO_COLOR: "1" }],
    ["the terminal is dumb", true, { TERM: "dumb" }],
  ])("uses no colour when %s", (_, isTerminal, env) => {
    expect(choosePaint(isTerminal, env)("text", "red")).toBe("text");
  });

  it("uses colour on a terminal", () => {
    expect(choosePaint(true, { NO_COLOR: "" })("text", "red")).toBe("\u001b[31mtext\u001b[0m");
  });
});

describe("text width", () => {
  it("counts combining marks as nothing", () => expect(textWidth("e\u0301")).toBe(1));
  it("never splits a character", () => expect(cutToWidth("👋👋👋", 4)).toBe("👋…"));
  it("leaves what fits", () => expect(cutToWidth("abc", 3)).toBe("abc"));
});
