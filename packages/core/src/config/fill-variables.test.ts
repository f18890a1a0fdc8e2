import { describe, expect, it } from "vitest";
import { fillVariables } from "./fill-variables.ts";
import { Report } from "./report.ts";

function fill(value: unknown, env: Record<string, string | undefined> = {}) {
  const report = new Report();
  const filled = fillVariables(value, ["root"], { env, usedBy: "server 'a'" }, report);
  return { filled, problems: report.problems.map(({ path, message }) => [path, message]) };
}

describe("fillVariables", () => {
  it("fills every text at every depth, and nothing else", () => {
    const value = { "${A}": ["${A}", { b: "x${A}y${A}z", c: 1, d: null, e: true }] };
    expect(fill(value, { A: "1" })).toEqual({
      filled: { "${A}": ["1", { b: "x1y1z", c: 1, d: null, e: true }] },
      problems: [],
    });
  });

  it.each([
    ["${A:-d}", {}, "d"],
    ["${A:-d}", { A: "" }, "d"],
    ["${A:-d}", { A: "1" }, "1"],
    ["${A:-}", {}, ""],
    ["${A:-http://x:1/}", {}, "http://x:1/"],
    ["${A}", { A: "" }, ""],
    ["${env:A}", { A: "1" }, "1"],
    ["$${A}", { A: "1" }, "${A}"],
    ["$${A} ${A}", { A: "1" }, "${A} 1"],
    ["$A $ {A} 5$", { A: "1" }, "$A $ {A} 5$"],
    ["${A}", { A: "${B}$$" }, "${B}$$"],
  ])("reads %s with %j as %s", (text, env, filled) => {
    expect(fill(text, env)).toEqual({ filled, problems: [] });
  });

  it("names each missing variable, who uses it and where", () => {
    expect(fill({ args: ["${A}${B}"] }, { A: undefined }).problems).toEqual([
      [
        ["root", "args", 0],
        "The environment variable 'A', used by server 'a', is not set. Set it, or give a default: ${A:-default}",
      ],
      [
        ["root", "args", 0],
        "The environment variable 'B', used by server 'a', is not set. Set it, or give a default: ${B:-default}",
      ],
    ]);
  });

  it("takes nothing from what every object inherits", () => {
    expect(fill("${constructor} ${toString}").problems).toHaveLength(2);
  });

  it.each(["${}", "${", "${A", "${a b}", "${1}", "${A-b}"])("refuses %s, which is no variable", (text) => {
    expect(fill(text, { A: "1" }).problems).toEqual([
      [
        ["root"],
        "A ${…} used by server 'a' is not a variable. Write ${NAME} or ${NAME:-default}, or $${ for the characters themselves",
      ],
    ]);
  });
});
